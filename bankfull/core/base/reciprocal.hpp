#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>

namespace bankfull {

/// 1 / x, to an error of a few units in the last place, of a positive x that is far from the ends
/// of the range.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real reciprocal(Real x) {
  return 1 / x;
}

/// 1 / sqrt(x), likewise.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double reciprocal_root(double x) {
#if defined(__CUDA_ARCH__)
  double first;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(first) : "d"(x));
  const double error = fma(-x * first, first, 1.0);
  return fma(first * error, fma(error, 0.375, 0.5), first);
#else
  return 1.0 / std::sqrt(x);
#endif
}

#if defined(__CUDA_ARCH__)
/// Without the branch for other numbers that a division has: several of them overlap.
template <>
__device__ __forceinline__ double reciprocal(double x) {
  double first;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(first) : "d"(x));
  const double error = fma(-x, first, 1.0);            // 2^-20 or less
  return fma(first, fma(error, error, error), first);  // so error^3 is left
}
#endif

/// a / b, to a few units in the last place, of a and b that are 0, infinite or far from the ends of
/// the range, and not negative. Of 0 / 0 infinite.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double ratio(double a, double b) {
  const double usual = a * reciprocal(b);
  const double finite = b < HUGE_VAL ? usual : 0.0;
  return b > 0.0 ? finite : HUGE_VAL;
}

/// sqrt(x), to a few units in the last place, of an x that is 0 or as of `reciprocal`.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double root(double x) {
  return x > 0.0 ? x * reciprocal_root(x) : 0.0;
}

}  // namespace bankfull
