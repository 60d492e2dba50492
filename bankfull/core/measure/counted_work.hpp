#pragma once

#include "bankfull/core/measure/energy_use.hpp"
#include "bankfull/core/measure/machine_watch.hpp"

#include <optional>

namespace bankfull {

/// Counts the energy of long work that is timed in pieces, from its construction on: one window
/// over all pieces and what is between them, such as output.
class CountedWork {
 public:
  /// `machine` must outlive it; null: nothing is counted.
  explicit CountedWork(MachineWatch* machine) : machine_(machine) { begin(); }

  /// Begins again, without what was counted.
  void begin() {
    tally_ = {};
    timed_seconds_ = 0.0;
    before_ = machine_ == nullptr ? std::nullopt : std::optional(machine_->read_counters());
  }

  /// Called between pieces, outside of what is timed: a piece of so many timed seconds is over. The
  /// counters are read now and then, or they would wrap around unseen, and after the `last` piece.
  void add(double timed_seconds, bool last) {
    constexpr double often_enough = 0.5;
    timed_seconds_ += timed_seconds;
    if (machine_ != nullptr && last) {
      machine_->observe_pages();
    }
    if (machine_ == nullptr || !before_ || (timed_seconds_ < often_enough && !last)) {
      return;
    }
    const CounterReading now = machine_->read_counters();
    tally_.add(*before_, now, timed_seconds_);
    before_ = now;
    machine_->observe_after(timed_seconds_);
    timed_seconds_ = 0.0;
  }

  /// What was counted up to the last reading: all of the work once the `last` piece was added.
  [[nodiscard]] const CounterTally& tally() const { return tally_; }

 private:
  MachineWatch* machine_;
  std::optional<CounterReading> before_;
  double timed_seconds_ = 0.0;
  CounterTally tally_;
};

}  // namespace bankfull
