#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace bankfull {

/// The part of a task about to begin: from `done` to `done + 1` of `total` units.
struct Stage {
  std::string task;    ///< as Progress shows it
  double done = 0.0;   ///< units that are complete
  double total = 1.0;  ///< units of the whole task
};

/// Lets long work be interrupted, and reports its progress.
class Pauses {
 public:
  /// No pauses: the work runs to completion.
  Pauses() = default;

  /// `context` must outlive it and its copies.
  Pauses(const RunContext& context, Stage stage) : context_(&context), stage_(std::move(stage)) {}

  /// Collective, called when a `share` of the stage from 0 to 1 is done: throws Interrupted if the
  /// run is to end early.
  void at(double share) const {
    if (context_ != nullptr) {
      context_->begin(stage_.task, stage_.done + share, stage_.total);
    }
  }

  /// Reports the progress of this rank, in work that cannot wait for other ranks.
  void tell(double share) const {
    if (context_ != nullptr) {
      context_->progress.update(stage_.task, stage_.done + share, stage_.total);
    }
  }

  /// For any thread, in such work: whether this rank was asked to end and may skip the rest of its
  /// part. All ranks call `at` afterwards.
  [[nodiscard]] bool is_requested() const {
    return context_ != nullptr && context_->interruption != nullptr &&
           context_->interruption->requested();
  }

  /// Collective: the maximum over the ranks.
  [[nodiscard]] double slowest(double seconds) const {
    return context_ == nullptr ? seconds : context_->ranks.max(seconds);
  }

 private:
  const RunContext* context_ = nullptr;
  Stage stage_;
};

/// How many units to do between pauses: all of them if they take no more than a second, which is
/// not worth a pause, else half a second's worth. A multiple of `multiple`, unless it is all.
inline std::int64_t units_between_pauses(std::int64_t units, double seconds_per_unit,
                                         std::int64_t multiple = 1) {
  constexpr double undivided_seconds = 1.0;
  constexpr double piece_seconds = 0.5;
  if (static_cast<double>(units) * seconds_per_unit <= undivided_seconds) {
    return units;
  }
  const auto fitting = static_cast<std::int64_t>(piece_seconds / seconds_per_unit);
  return std::min(units, std::max<std::int64_t>(1, fitting / multiple) * multiple);
}

/// Collective: calls `unit(n)` for n from 0 to `units` - 1, which take about the same time each,
/// with pauses if they take long together, as the first one shows.
template <class Unit>
void in_units(const Pauses& pauses, std::int64_t units, const Unit& unit) {
  const Stopwatch watch;
  std::int64_t next = 1;
  for (std::int64_t n = 0; n < units; ++n) {
    if (n == next) {
      const double per_unit = pauses.slowest(watch.seconds()) / static_cast<double>(n);
      const std::int64_t piece = units_between_pauses(units, per_unit);
      if (piece < units) {
        pauses.at(static_cast<double>(n) / static_cast<double>(units));
      }
      next = n + piece;
    }
    unit(n);
  }
}

}  // namespace bankfull
