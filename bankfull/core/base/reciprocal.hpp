#pragma once

#include "bankfull/core/base/host_device.hpp"

namespace bankfull {

/// 1 / x, to an error of a few units in the last place, of a positive x that is far from the ends
/// of the range.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real reciprocal(Real x) {
  return Real{1} / x;
}

#if defined(__CUDA_ARCH__)
/// Without the branch for other numbers that a division has.
template <>
__device__ __forceinline__ double reciprocal(double x) {
  double first;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(first) : "d"(x));
  const double error = fma(-x, first, 1.0);            // 2^-20 or less
  return fma(first, fma(error, error, error), first);  // so error^3 is left
}
#endif

}  // namespace bankfull
