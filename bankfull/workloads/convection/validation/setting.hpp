#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/validation.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace bankfull::convection {

/// Where a validation runs, how far it goes, and who watches.
class ValidationSetting {
 public:
  ValidationSetting(Validation validation, const RunContext& context)
      : validation_(std::move(validation)), progress_(context.progress) {}

  [[nodiscard]] bool full() const { return validation_.level == ValidationLevel::full; }
  [[nodiscard]] Device device() const { return validation_.device; }
  [[nodiscard]] int threads() const { return validation_.threads; }

  /// The problem on the device of this validation, on a CPU with as many threads as it has work
  /// for.
  [[nodiscard]] Problem placed(Problem problem) const {
    constexpr std::int64_t cells_of_a_thread = 32768;
    problem.device = device();
    problem.threads = static_cast<int>(
        std::clamp<std::int64_t>(problem.cells() / cells_of_a_thread, 1, threads()));
    return problem;
  }

  /// The part of the whole validation that the next cases are, from 0 to 1.
  void set_part(double begin, double end) {
    begin_ = begin;
    end_ = end;
  }

  /// `done` of 1 of a case.
  void tell(const std::string& name, double done) const {
    progress_.update("validating: " + name, begin_ + done * (end_ - begin_), 1.0);
  }

 private:
  Validation validation_;
  Progress& progress_;
  double begin_ = 0.0;
  double end_ = 1.0;
};

/// Two results of second order, of cells of width h and h / ratio, extrapolated to h = 0.
constexpr double extrapolated(double coarse, double fine, double ratio = 2.0) {
  return fine + (fine - coarse) / (ratio * ratio - 1.0);
}

}  // namespace bankfull::convection
