#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

// Transforms of a few points in the registers of one thread, decimated in time. A twiddle factor is
// multiplied on the way into the sums: a pair of points takes six fused operations, twiddle
// factor included (E. Linzer, E. Feig, "Implementation of efficient FFT algorithms on fused
// multiply-add architectures", IEEE Transactions on Signal Processing 41, 1993).
//
// `Complex` is any struct of a real part and an imaginary one, such as double2.

namespace bankfull {

/// Complex numbers in registers: index them by what is known when compiled.
template <class Complex, int Count>
struct ComplexPoints {
  Complex value[static_cast<unsigned>(Count)];  ///< the points in their order

  /// Point i of 0 to Count - 1, not checked.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex& operator[](int i) { return value[i]; }
  /// The same, to read.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE const Complex& operator[](int i) const {
    return value[i];
  }
};

}  // namespace bankfull

namespace bankfull::detail {

BANKFULL_HOST_DEVICE constexpr int log2_of(int n) {
  int log2 = 0;
  for (; n > 1; n /= 2) {
    ++log2;
  }
  return log2;
}

/// k < 2^bits <= 32 with its bits in reverse.
BANKFULL_HOST_DEVICE constexpr int reversed(int k, int bits) {
  return (((k & 1) << 4) | ((k & 2) << 2) | (k & 4) | ((k & 8) >> 2) | ((k & 16) >> 4)) >>
         (5 - bits);
}

/// cos(pi k / 16) for k from 0 to 8.
BANKFULL_HOST_DEVICE constexpr double cosine_of_parts(int k) {
  return k == 0   ? 1.0
         : k == 1 ? 0.98078528040323044913
         : k == 2 ? 0.92387953251128675613
         : k == 3 ? 0.83146961230254523708
         : k == 4 ? 0.70710678118654752440
         : k == 5 ? 0.55557023301960222474
         : k == 6 ? 0.38268343236508977173
         : k == 7 ? 0.19509032201612826785
                  : 0.0;
}

template <class Complex>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE auto real_part(const Complex& x) {
  [[maybe_unused]] const auto [re, im] = x;
  return re;
}
template <class Complex>
using RealOf = std::remove_cv_t<decltype(real_part(std::declval<Complex>()))>;

template <class Complex>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex times_minus_i(Complex x) {
  const auto [re, im] = x;
  return {im, -re};
}

template <class Complex>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex square(Complex x) {
  using std::fma;
  const auto [re, im] = x;
  return {fma(re, re, -(im * im)), (re + re) * im};
}

/// x exp(-2 pi i k / 32) for k from 0 to 7.
template <class Complex>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex turned_by_parts(Complex x, int k) {
  using std::fma;
  using Real = RealOf<Complex>;
  const auto [re, im] = x;
  const Real c = static_cast<Real>(cosine_of_parts(k));
  if (k == 0) {
    return x;
  }
  if (k == 4) {
    return {c * (re + im), c * (im - re)};
  }
  const Real s = static_cast<Real>(cosine_of_parts(8 - k));
  return {fma(c, re, s * im), fma(c, im, -(s * re))};
}

/// (a, b) to (a + w b, a - w b).
template <class Complex>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void add_and_subtract(Complex& a, Complex& b,
                                                                  Complex w) {
  using std::fma;
  using Real = RealOf<Complex>;
  const auto [a_re, a_im] = a;
  const auto [b_re, b_im] = b;
  const auto [w_re, w_im] = w;
  const Real re = fma(w_re, b_re, fma(-w_im, b_im, a_re));
  const Real im = fma(w_re, b_im, fma(w_im, b_re, a_im));
  b = {fma(Real{2}, a_re, -re), fma(Real{2}, a_im, -im)};
  a = {re, im};
}

/// (a, b) to (a + w b, a - w b) for w = exp(-2 pi i k / 32), k from 0 to 7.
template <class Complex>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void add_and_subtract_turned(Complex& a, Complex& b,
                                                                         int k) {
  using std::fma;
  using Real = RealOf<Complex>;
  const auto [a_re, a_im] = a;
  const auto [b_re, b_im] = b;
  const Real c = static_cast<Real>(cosine_of_parts(k));
  if (k == 0) {
    b = {a_re - b_re, a_im - b_im};
    a = {a_re + b_re, a_im + b_im};
  } else if (k == 4) {
    const Real sum = b_re + b_im;
    const Real difference = b_im - b_re;
    b = {fma(-c, sum, a_re), fma(-c, difference, a_im)};
    a = {fma(c, sum, a_re), fma(c, difference, a_im)};
  } else {
    add_and_subtract(a, b, {c, static_cast<Real>(-cosine_of_parts(8 - k))});
  }
}

template <bool Twiddled, class Complex>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void join(Complex& even, Complex& odd, Complex factor,
                                                      int parts) {
  if constexpr (Twiddled) {
    add_and_subtract(even, odd, factor);
  } else {
    add_and_subtract_turned(even, odd, parts);
  }
}

/// Joins transforms of Half points to such of twice as many, and so on to the end. `powers` are
/// the powers of the twiddle factor, from the one that this step needs down.
template <bool Twiddled, int Half, class Complex, int Radix>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void join_halves(ComplexPoints<Complex, Radix>& x,
                                                             const Complex* powers) {
  constexpr int level = log2_of(Half);
  constexpr int apart = Radix / 2 / Half;
  BANKFULL_UNROLL
  for (int k = 0; k < (Half + 1) / 2; ++k) {
    const int parts = 16 * k / Half;
    const Complex factor = turned_by_parts(*powers, parts);
    BANKFULL_UNROLL
    for (int j = 0; j < apart; ++j) {
      const int even = j + reversed(k, level) * 2 * apart;
      join<Twiddled>(x[even], x[even + apart], factor, parts);
      if constexpr (Half > 1) {
        const int later = j + reversed(k + Half / 2, level) * 2 * apart;
        if constexpr (!Twiddled) {
          x[later + apart] = times_minus_i(x[later + apart]);
        }
        join<Twiddled>(x[later], x[later + apart], times_minus_i(factor), parts);
      }
    }
  }
  if constexpr (2 * Half < Radix) {
    join_halves<Twiddled, 2 * Half>(x, powers - 1);
  }
}

/// Transform of the Radix points x_j w^j; its k-th value comes to stand at
/// `reversed(k, log2_of(Radix))`. `Twiddled` is false where w is 1.
template <bool Twiddled, class Complex, int Radix>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void transform_few(ComplexPoints<Complex, Radix>& x,
                                                               Complex w) {
  constexpr int levels = log2_of(Radix);
  static_assert(Radix == 1 << levels && levels >= 1 && levels <= 5);
  Complex powers[5] = {w};  // w, w^2, w^4, w^8, w^16
  BANKFULL_UNROLL
  for (int n = 1; n < levels; ++n) {
    powers[n] = Twiddled ? square(powers[n - 1]) : w;
  }
  join_halves<Twiddled, 1>(x, powers + levels - 1);
}

}  // namespace bankfull::detail
