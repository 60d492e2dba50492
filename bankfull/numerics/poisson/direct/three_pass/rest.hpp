#pragma once

#include "bankfull/numerics/poisson/direct/three_pass/points.hpp"

namespace bankfull::poisson::three_pass {

/// x where `odd` is 0, else -i x.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> quarter_turned(Complex<Real> x, int odd) {
  return {odd == 0 ? x.re : x.im, odd == 0 ? x.im : -x.re};
}

/// Pass 2's transform over m, of 32 points by two threads, by parity. A thread takes points
/// `source(n)` and leaves modes `target(n)`; the inverse transform too.
template <class Real>
struct RestTransform {
  static constexpr int count = 2 * radix;
  static constexpr int threads = 2;

  /// Points n and n + 8 are summed first.
  BANKFULL_HOST_DEVICE static constexpr int source(int n, int parity) {
    return n % 8 * 2 + parity + n / 8 * radix;
  }
  BANKFULL_HOST_DEVICE static constexpr int target(int n, int parity) { return 2 * n + parity; }

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Sums<Real> sums(int parity,
                                                                     const Points<Real>& x) {
    const Real sign = parity == 0 ? Real{1} : Real{-1};
    Sums<Real> result;
    BANKFULL_UNROLL
    for (int n = 0; n < radix / 2; ++n) {
      result.kept[n] = plus(x[n], sign, x[n + radix / 2]);
      result.given[n] = plus(x[n], -sign, x[n + radix / 2]);
    }
    return result;
  }

  /// Of the 16 sums x_j w^j with w = exp(-2 pi i parity / 32). The powers of w are constants that
  /// are chosen where they are needed: registers are scarce there, and w^8 is a quarter turn.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static void finish(int parity, Points<Real>& x) {
    BANKFULL_UNROLL
    for (int j = 0; j < 8; ++j) {
      x[j + 8] = quarter_turned(x[j + 8], parity);
      bankfull::detail::add_and_subtract_turned(x[j], x[j + 8], 0);
    }
    const Complex<Real> powers[3] = {
        power(parity, 0.98078528040323044913, 0.19509032201612826785),
        power(parity, 0.92387953251128675613, 0.38268343236508977173),
        power(parity, 0.70710678118654752440, 0.70710678118654752440),
    };
    bankfull::detail::join_halves<true, 2>(x, powers + 2);
    put_in_order<Real, radix>(x);
  }

 private:
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Complex<Real> power(int parity, double cosine,
                                                                         double sine) {
    return parity == 0 ? Complex<Real>{Real{1}, Real{0}}
                       : Complex<Real>{static_cast<Real>(cosine), static_cast<Real>(-sine)};
  }
};

}  // namespace bankfull::poisson::three_pass
