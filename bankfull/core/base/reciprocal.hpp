#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>

namespace bankfull {

namespace detail {
inline constexpr double least_normal = 0x1p-1022;
}

/// 1 / x, to an error of a few units in the last place, of a positive x that is far from the ends
/// of the range.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real reciprocal(Real x) {
  return 1 / x;
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

/// 1 / sqrt(x), likewise, and 0 of an infinite x.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double reciprocal_root(double x) {
#if defined(__CUDA_ARCH__)
  double first;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(first) : "d"(x));
  const double error = fma(-x * first, first, 1.0);
  const double usual = fma(first * error, fma(error, 0.375, 0.5), first);
  return x == HUGE_VAL ? 0.0 : usual;
#else
  return 1.0 / std::sqrt(x);
#endif
}

/// a / b of numbers that are not negative, but infinite where b is 0, even if a is. Without a
/// branch on GPUs: to a few units in the last place there, and infinite of subnormal b, too.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double ratio(double a, double b) {
#if defined(__CUDA_ARCH__)
  const double usual = b == HUGE_VAL ? a * 0.0 : a * reciprocal(b);
  return b < detail::least_normal ? HUGE_VAL : usual;
#else
  return b == 0.0 ? HUGE_VAL : a / b;
#endif
}

/// sqrt(x) of an x that is not negative. Without a branch on GPUs: to a few units in the last place
/// there, and 0 of subnormal x.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double root(double x) {
#if defined(__CUDA_ARCH__)
  const double usual = x == HUGE_VAL ? x : x * reciprocal_root(x);
  return x < detail::least_normal ? 0.0 : usual;
#else
  return std::sqrt(x);
#endif
}

}  // namespace bankfull
