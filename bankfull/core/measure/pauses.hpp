#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace bankfull {

/// What is about to begin: the part of a task from `done` to `done + 1` of `total` units.
struct Stage {
  std::string task;
  double done = 0.0;
  double total = 1.0;
};

/// Lets a run be ended within work that takes long, and tells how far that is.
class Pauses {
 public:
  /// None: the work goes through.
  Pauses() = default;

  /// `context` must outlive it and its copies.
  Pauses(const RunContext& context, Stage stage) : context_(&context), stage_(std::move(stage)) {}

  /// Collective, where `share` of the stage is done, from 0 to 1: throws Interrupted where the run
  /// is to end early.
  void at(double share) const {
    if (context_ != nullptr) {
      context_->begin(stage_.task, stage_.done + share, stage_.total);
    }
  }

  /// Tells how far this rank is, in work that cannot wait for the other ranks.
  void tell(double share) const {
    if (context_ != nullptr) {
      context_->progress.update(stage_.task, stage_.done + share, stage_.total);
    }
  }

  /// By any thread, in such work: whether this rank was asked to end, and may drop the rest of its
  /// part. All ranks call `at` after it.
  [[nodiscard]] bool is_requested() const {
    return context_ != nullptr && context_->interruption != nullptr &&
           context_->interruption->requested();
  }

  /// Collective: of all ranks.
  [[nodiscard]] double slowest(double seconds) const {
    return context_ == nullptr ? seconds : context_->ranks.max(seconds);
  }

 private:
  const RunContext* context_ = nullptr;
  Stage stage_;
};

/// Into how many units work is divided by its pauses: all of them where that takes no longer than a
/// second, which is not worth a pause, else half a second's. A multiple of `multiple`, but for all.
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

/// Collective: `unit(n)` for n from 0 to `units` - 1, all of about the same length, with pauses
/// where they take long together. How long they take is known after the first.
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
