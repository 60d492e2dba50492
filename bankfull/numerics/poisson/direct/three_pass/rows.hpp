#pragma once

#include "bankfull/numerics/poisson/direct/three_pass/points.hpp"

namespace bankfull::poisson::three_pass {

// Passes 1 and 3: 16 rows of a plane, in pairs, each pair one complex sequence.

inline constexpr int row_pairs = radix / 2;

/// Where the 16 rows of a block stand: row j = m + rest q, of which a block has all q < Radix for
/// as many m as there is place for. Row n is partner of row n + 8.
template <int Radix>
struct RowsOfBlock {
  static constexpr int rest = 32;
  static constexpr int together = radix / Radix;            ///< values of m
  static constexpr int blocks_per_plane = rest / together;  ///< that all values of m make

  BANKFULL_HOST_DEVICE static constexpr int m(int row) { return row / Radix; }  ///< from the first
  BANKFULL_HOST_DEVICE static constexpr int q(int row) { return row % Radix; }  ///< later r
  BANKFULL_HOST_DEVICE static constexpr int j(int row) { return m(row) + rest * q(row); }
};

/// Complex transform of N points by `lanes` threads: before and after it lane n holds points
/// n + t lanes, t < 16. Point l + lanes t goes to mode u + 16 v in these steps: radix 16 from t to
/// u; an exchange after which a thread has one u, or several where there are fewer than 16 lanes,
/// and points l of it; where there are 32 lanes, a step over a in l = l' + 16 a, from which
/// v = 2 v' + parity has its parity; the rest of l to v.
template <class Real, int N>
struct RowTransform {
  using Line = Points<Real>;

  static constexpr int lanes = N / radix;
  static constexpr int pitch = lanes + 1;  ///< odd: threads of several u meet in no bank
  static constexpr int shared_points = radix * pitch;
  static constexpr int own_u = lanes < radix ? radix / lanes : 1;  ///< values of u of a lane
  static_assert(lanes == 4 || lanes == 8 || lanes == 16 || lanes == 32);
  static_assert(shared_points >= N);

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static int u_of(int lane) { return lane % radix; }
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static int parity_of(int lane) {
    return lane / radix;
  }

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static void leave(int lane, const Line& x,
                                                                Complex<Real>* shared) {
    BANKFULL_UNROLL
    for (int u = 0; u < radix; ++u) {
      shared[u * pitch + lane] = x[u];
    }
  }

  /// The points of one u. Not of 32 lanes.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Points<Real, lanes> take(
      int u, const Complex<Real>* shared) {
    Points<Real, lanes> x;
    BANKFULL_UNROLL
    for (int l = 0; l < lanes; ++l) {
      x[l] = shared[u * pitch + l];
    }
    return x;
  }

  /// Of 32 lanes. `root`: exp(-2 pi i u / 32).
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Sums<Real> take_sums(
      int lane, Complex<Real> root, const Complex<Real>* shared) {
    const int parity = parity_of(lane);
    const Complex<Real>* const from = shared + u_of(lane) * pitch + parity;
    const Complex<Real> own = parity == 0 ? root : Complex<Real>{-root.re, -root.im};
    Sums<Real> sums;
    BANKFULL_UNROLL
    for (int n = 0; n < radix / 2; ++n) {
      sums.kept[n] = from[2 * n];
      sums.given[n] = from[2 * n + radix];
      bankfull::detail::add_and_subtract(sums.kept[n], sums.given[n], own);
    }
    return sums;
  }

  /// The last step of up to 16 lanes, which have modes of u = lane, lane + lanes, and so on.
  /// `roots`: exp(-2 pi i u / N) of these.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Line finish(int lane,
                                                                 const Points<Real, own_u>& roots,
                                                                 const Complex<Real>* shared) {
    Line x;
    BANKFULL_UNROLL
    for (int n = 0; n < own_u; ++n) {
      Points<Real, lanes> of_u = take(lane + n * lanes, shared);
      transform<Real, lanes>(of_u, roots[n]);
      BANKFULL_UNROLL
      for (int v = 0; v < lanes; ++v) {
        x[v * own_u + n] = of_u[v];
      }
    }
    return x;
  }
};

/// Twice the transforms of both rows of a pair at mode k, from their common one at k and at N - k.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void separate_rows(Complex<Real> at,
                                                               Complex<Real> mirrored,
                                                               Complex<Real>& row,
                                                               Complex<Real>& partner) {
  row = {at.re + mirrored.re, at.im - mirrored.im};
  partner = {at.im + mirrored.im, mirrored.re - at.re};
}

/// Undoes it, but for the factor 2.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void join_rows(Complex<Real> row, Complex<Real> partner,
                                                           Complex<Real>& at,
                                                           Complex<Real>& mirrored) {
  at = {row.re - partner.im, row.im + partner.re};
  mirrored = {row.re + partner.im, partner.re - row.im};
}

/// What the thread of mode k < N / 2 has of all rows. Modes 0 and N / 2 of rows are real, and are
/// transformed over q as one complex sequence by thread 0, which has the value of mode 0 in the
/// real part and that of mode N / 2 in the imaginary one.
template <class Real, int N>
struct RowModes {
  BANKFULL_HOST_DEVICE static constexpr int mirrored(int k) { return k == 0 ? N / 2 : N - k; }

  /// Doubled, but for k = 0, from the transforms of pairs, `pitch` apart.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Points<Real> separate(
      int k, const Complex<Real>* pairs, int pitch) {
    Points<Real> x;
    BANKFULL_UNROLL
    for (int p = 0; p < row_pairs; ++p) {
      const Complex<Real> a = pairs[p * pitch + k];
      const Complex<Real> b = pairs[p * pitch + mirrored(k)];
      separate_rows(a, b, x[p], x[p + row_pairs]);
      if (k == 0) {
        x[p] = {a.re, b.re};
        x[p + row_pairs] = {a.im, b.im};
      }
    }
    return x;
  }

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static void join(int k, const Points<Real>& x,
                                                               Complex<Real>* pairs, int pitch) {
    BANKFULL_UNROLL
    for (int p = 0; p < row_pairs; ++p) {
      Complex<Real> a;
      Complex<Real> b;
      join_rows(x[p], x[p + row_pairs], a, b);
      if (k == 0) {
        a = {x[p].re, x[p + row_pairs].re};
        b = {x[p].im, x[p + row_pairs].im};
      }
      pairs[p * pitch + k] = a;
      pairs[p * pitch + mirrored(k)] = b;
    }
  }
};

/// Twice the value of mode 0 at r, from those of both modes of thread 0 at r and at -r.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> first_of_two(Complex<Real> at,
                                                                       Complex<Real> mirrored) {
  return {at.re + mirrored.re, at.im - mirrored.im};
}
/// The same of mode N / 2.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> second_of_two(Complex<Real> at,
                                                                        Complex<Real> mirrored) {
  return {at.im + mirrored.im, mirrored.re - at.re};
}
/// Undoes both, but for the factor 2.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> two_as_one(Complex<Real> first,
                                                                     Complex<Real> second) {
  return {first.re - second.im, first.im + second.re};
}

}  // namespace bankfull::poisson::three_pass
