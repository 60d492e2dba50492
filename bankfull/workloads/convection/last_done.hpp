#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace bankfull::convection {

/// When a run has last done what it does at multiples of steps or of time.
struct LastDone {
  std::int64_t step = 0;
  double time = 0.0;

  [[nodiscard]] std::int64_t next_step(std::int64_t every) const {
    return every > 0 ? (step / every + 1) * every : std::numeric_limits<std::int64_t>::max();
  }

  /// The next multiple, as above; one that rounding alone has not reached counts as reached.
  [[nodiscard]] double next_time(double every) const {
    constexpr double rounding = 1e-9;
    return every > 0.0 ? (std::floor(time / every + 2.0 * rounding) + 1.0 - rounding) * every
                       : HUGE_VAL;
  }
};

}  // namespace bankfull::convection
