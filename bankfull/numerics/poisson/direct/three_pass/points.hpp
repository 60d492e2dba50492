#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/fft/butterflies.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"

#include <cmath>

namespace bankfull::poisson::three_pass {

// The arithmetic of the three passes (see sizes.hpp) is that of single threads, between exchanges:
// host and device, so that tests put threads together in loops on a CPU. Products are fused by
// hand, for the project compiles device code without contraction.

/// Most points that a thread holds: 64 registers of fp64.
inline constexpr int radix = 16;

/// Points that it takes of lengths of three times a power of two.
inline constexpr int radix_of_three = 12;

/// Of an axis of so many cells, or so many values of q.
BANKFULL_HOST_DEVICE constexpr int radix_of(int count) {
  return count % 3 == 0 ? radix_of_three : radix;
}

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

/// Of 3 points.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void transform_three(Complex<Real>& a, Complex<Real>& b,
                                                                 Complex<Real>& c) {
  using std::fma;
  const Real sine = static_cast<Real>(0.86602540378443864676);  // of 2 pi / 3
  const Complex<Real> both = sum(b, c);
  const Complex<Real> apart{b.re - c.re, b.im - c.im};
  const Complex<Real> middle = plus(a, Real{-0.5}, both);
  a = sum(a, both);
  b = {fma(sine, apart.im, middle.re), fma(-sine, apart.re, middle.im)};
  c = {fma(-sine, apart.im, middle.re), fma(sine, apart.re, middle.im)};
}

/// Of points in order. Three times a power of two M needs no twiddle factors between both (I. J.
/// Good, "The interaction algorithm and practical Fourier analysis", Journal of the Royal
/// Statistical Society B 20, 1958): point M a + 3 b, modulo 3 M, goes to the mode that is a'
/// modulo 3 and b' modulo M.
template <class Real, int Count>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void transform(Points<Real, Count>& x) {
  if constexpr (Count % 3 != 0) {
    bankfull::detail::transform_few<false>(x, Complex<Real>{Real{1}, Real{0}});
    put_in_order<Real, Count>(x);
  } else {
    constexpr int others = Count / 3;
    Points<Real, others> of[3];
    BANKFULL_UNROLL
    for (int b = 0; b < others; ++b) {
      BANKFULL_UNROLL
      for (int a = 0; a < 3; ++a) {
        of[a][b] = x[(others * a + 3 * b) % Count];
      }
      transform_three(of[0][b], of[1][b], of[2][b]);
    }
    if constexpr (others > 1) {
      BANKFULL_UNROLL
      for (int a = 0; a < 3; ++a) {
        transform<Real, others>(of[a]);
      }
    }
    BANKFULL_UNROLL
    for (int k = 0; k < Count; ++k) {
      x[k] = of[k % 3][k % others];
    }
  }
}

/// Transforms of `Count` points each: of the first ones, of the next ones, and so on.
template <int Count, class Real, int All>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void transform_groups(
    ComplexPoints<Complex<Real>, All>& x) {
  BANKFULL_UNROLL
  for (int first = 0; first < All; first += Count) {
    Points<Real, Count> few;
    BANKFULL_UNROLL
    for (int n = 0; n < Count; ++n) {
      few[n] = x[first + n];
    }
    transform<Real, Count>(few);
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
