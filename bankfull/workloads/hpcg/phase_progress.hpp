#pragma once

#include "bankfull/core/measure/run_context.hpp"

#include <string>

namespace bankfull::hpcg {

/// Tells which phase of the benchmark a run is in, and how far: "phase 8 of 10: timed sets".
class PhaseProgress {
 public:
  PhaseProgress(const RunContext& context, int phases) : context_(context), phases_(phases) {}

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

  /// The phase by its number and name.
  [[nodiscard]] const std::string& label() const { return label_; }

 private:
  void name_next(const std::string& task) {
    ++number_;
    label_ = "phase " + std::to_string(number_) + " of " + std::to_string(phases_) + ": " + task;
  }

  const RunContext& context_;
  int phases_;
  int number_ = 0;
  std::string label_;
};

}  // namespace bankfull::hpcg
