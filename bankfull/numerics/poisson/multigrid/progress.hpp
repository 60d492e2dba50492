#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::poisson::multigrid {

/// How a solve goes from cycle to cycle, and when it is over.
class Progress {
 public:
  explicit Progress(const Stopping& stopping) : stopping_(stopping) {}

  /// With the residual before the first cycle.
  void begin(double residual) { residual_ = residual; }

  void add_cycle(double residual) {
    ++cycles_;
    // Far from rounding each cycle helps, if by little; at rounding the residual dances.
    slow_cycles_ = residual < slow_factor * residual_ ? 0 : slow_cycles_ + 1;
    factor_ = residual / residual_;
    residual_ = residual;
  }

  [[nodiscard]] double residual() const { return residual_; }

  [[nodiscard]] bool is_done() const {
    return converged() || cycles_ >= stopping_.max_cycles || slow_cycles_ >= max_slow_cycles ||
           !std::isfinite(residual_);
  }

  /// Whether the next cycle will probably be the last: it may be wrong.
  [[nodiscard]] bool expects_end() const {
    return residual_ * factor_ <= stopping_.tolerance || cycles_ + 1 >= stopping_.max_cycles;
  }

  [[nodiscard]] Outcome outcome() const { return {cycles_, residual_, converged()}; }

 private:
  static constexpr double slow_factor = 0.95;
  static constexpr int max_slow_cycles = 2;
  static constexpr double usual_factor = 0.08;

  [[nodiscard]] bool converged() const { return residual_ <= stopping_.tolerance; }

  Stopping stopping_;
  int cycles_ = 0;
  int slow_cycles_ = 0;
  double residual_ = 0.0;
  double factor_ = usual_factor;
};

}  // namespace bankfull::poisson::multigrid
