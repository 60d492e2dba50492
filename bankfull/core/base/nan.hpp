#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>

namespace bankfull {

/// The larger one, or NaN where either is NaN. Values that a check looks at are compared with this:
/// std::max keeps its first argument where the second is NaN, and a NaN must fail.
BANKFULL_HOST_DEVICE inline double larger_or_nan(double a, double b) {
  return std::isnan(a) || b <= a ? a : b;
}

}  // namespace bankfull
