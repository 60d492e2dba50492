#pragma once

#include "bankfull/core/measure/phase_times.hpp"
#include "bankfull/core/measure/run_context.hpp"

#include <string>
#include <vector>

namespace bankfull::hpcg {

/// Tells which phase of the benchmark a run is in, and how far: "phase 8 of 11: timed sets"; and
/// afterwards how long each took.
class PhaseProgress {
 public:
  explicit PhaseProgress(const RunContext& context) : context_(context) {}

  /// Collective: the next phase begins; throws Interrupted if the run is to end early.
  void enter(const std::string& task) {
    name_next(task);
    at(0.0, 1.0);
  }

  /// The next phase begins, also where the run is to end early: there is no result without it.
  void enter_in_any_case(const std::string& task) {
    name_next(task);
    context_.progress.update(label_, 0.0, 1.0);
  }

  /// Collective: `done` of `total` units of the phase are done; throws as `enter` does.
  void at(double done, double total) const { context_.begin(label_, done, total); }

  /// Collective: ends the last phase; all of them with their seconds.
  [[nodiscard]] std::vector<Phase> finish() { return times_.finish(context_.ranks); }

  /// The phase by its number and name.
  [[nodiscard]] const std::string& label() const { return label_; }

 private:
  void name_next(const std::string& task) {
    times_.enter(task);
    ++number_;
    label_ = "phase " + std::to_string(number_) + " of " + std::to_string(count) + ": " + task;
  }

  static constexpr int count = 11;  ///< ten of `run_phases`, and the ceilings

  const RunContext& context_;
  PhaseTimes times_;
  int number_ = 0;
  std::string label_;
};

}  // namespace bankfull::hpcg
