#pragma once

#include "bankfull/numerics/formula/program.hpp"

#include <cmath>

namespace bankfull::formula {

/// All numbers from `least` to `most`.
struct Interval {
  double least = -HUGE_VAL;  ///< -infinity: no lower bound
  double most = HUGE_VAL;    ///< infinity: no upper bound

  /// Whether it has both bounds; false for NaN.
  [[nodiscard]] bool finite() const { return std::isfinite(least) && std::isfinite(most); }

  /// The largest magnitude in it.
  [[nodiscard]] double magnitude() const { return std::fmax(std::fabs(least), std::fabs(most)); }
};

/// Within which the values of a formula stay while its variable is in `variable`, by interval
/// arithmetic, to rounding: an upper bound, close to the range itself where the interval is finite,
/// since that is cut into pieces. The value at the least of `variable` is found exactly, as a run
/// will: min(1, 1/t) is 1 at 0. Infinite where the formula has no bound, none is found, or the
/// bound is beyond 1e30.
Interval bounds_of(const Program& program, const Interval& variable);

}  // namespace bankfull::formula
