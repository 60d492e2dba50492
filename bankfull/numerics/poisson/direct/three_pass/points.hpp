#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/fft/butterflies.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"

#include <cmath>

namespace bankfull::poisson::three_pass {

// The arithmetic of the three passes (see sizes.hpp) is that of single threads, between exchanges:
// host and device, so that tests put threads together in loops on a CPU. Products are fused by
// hand, for the project compiles device code without contraction.

/// Points that a thread holds: 64 registers of fp64.
inline constexpr int radix = 16;

template <class Real, int Count = radix>
using Points = ComplexPoints<Complex<Real>, Count>;

template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> fused_product(Complex<Real> a,
                                                                        Complex<Real> b) {
  using std::fma;
  return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}

template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> scaled(Complex<Real> a, Real b) {
  return {a.re * b, a.im * b};
}

template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> sum(Complex<Real> a, Complex<Real> b) {
  return {a.re + b.re, a.im + b.im};
}

/// a + b c with real b.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> plus(Complex<Real> a, Real b,
                                                               Complex<Real> c) {
  using std::fma;
  return {fma(b, c.re, a.re), fma(b, c.im, a.im)};
}

template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> exchanged(Complex<Real> a) {
  return {a.im, a.re};
}

/// exp(+i t) = i conj(i conj(exp(-i t))): exchanging real and imaginary parts on the way in and out
/// changes the sign of a transform.
template <class Real, int Count>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void exchange_parts(Points<Real, Count>& x) {
  BANKFULL_UNROLL
  for (int n = 0; n < Count; ++n) {
    x[n] = exchanged(x[n]);
  }
}

/// Puts what butterflies leave by reversed bits in order.
template <class Real, int Count>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void put_in_order(Points<Real, Count>& x) {
  const Points<Real, Count> found = x;
  BANKFULL_UNROLL
  for (int k = 0; k < Count; ++k) {
    x[k] = found[bankfull::detail::reversed(k, bankfull::detail::log2_of(Count))];
  }
}

/// Transform of the points x_j w^j.
template <class Real, int Count>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void transform(Points<Real, Count>& x,
                                                           Complex<Real> w) {
  bankfull::detail::transform_few<true>(x, w);
  put_in_order<Real, Count>(x);
}

/// Transforms of `Count` points each: of the first ones, of the next ones, and so on.
template <int Count, class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void transform_groups(Points<Real>& x) {
  BANKFULL_UNROLL
  for (int first = 0; first < radix; first += Count) {
    Points<Real, Count> few;
    BANKFULL_UNROLL
    for (int n = 0; n < Count; ++n) {
      few[n] = x[first + n];
    }
    bankfull::detail::transform_few<false>(few, Complex<Real>{Real{1}, Real{0}});
    put_in_order<Real, Count>(few);
    BANKFULL_UNROLL
    for (int n = 0; n < Count; ++n) {
      x[first + n] = few[n];
    }
  }
}

/// Half of the sums of a step that joins pairs of points in two threads: a thread keeps those of
/// its own parity and gives the others to its partner.
template <class Real>
struct Sums {
  Points<Real, radix / 2> kept;
  Points<Real, radix / 2> given;
};

/// From what a thread of this parity kept and got: sum n of all is at n.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Points<Real> sums_in_order(
    int parity, const Points<Real, radix / 2>& kept, const Points<Real, radix / 2>& got) {
  Points<Real> all;
  BANKFULL_UNROLL
  for (int n = 0; n < radix / 2; ++n) {
    all[2 * n] = parity == 0 ? kept[n] : got[n];
    all[2 * n + 1] = parity == 0 ? got[n] : kept[n];
  }
  return all;
}

}  // namespace bankfull::poisson::three_pass
