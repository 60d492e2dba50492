#pragma once

#include "bankfull/numerics/poisson/direct/three_pass/points.hpp"

namespace bankfull::poisson::three_pass {

// Passes 1 and 3: 16 or 12 rows of a plane, in pairs, each pair one complex sequence.

/// Which rows of a plane a block takes: rows j = m + rest q, all q < Radix for as many m as there
/// is place for. Row n of the block is partner of the one half of them further.
template <int Radix>
struct RowsOfBlock {
  static constexpr int rest = 32;
  static constexpr int count = radix_of(Radix);
  static constexpr int pairs = count / 2;
  static constexpr int together = count / Radix;            ///< values of m
  static constexpr int blocks_per_plane = rest / together;  ///< that all values of m make

  BANKFULL_HOST_DEVICE static constexpr int m(int row) { return row / Radix; }  ///< from the first
  BANKFULL_HOST_DEVICE static constexpr int q(int row) { return row % Radix; }  ///< later r
  BANKFULL_HOST_DEVICE static constexpr int j(int row) { return m(row) + rest * q(row); }
  /// The row with residue -r.
  BANKFULL_HOST_DEVICE static constexpr int mirrored(int row) {
    return row - q(row) + (Radix - q(row)) % Radix;
  }
};

/// Complex transform of N points by `lanes` threads, of which lane n takes points n + t lanes,
/// t < `taken`. Point l + lanes t goes to mode u + taken v in these steps: radix `taken` from t to
/// u; an exchange after which a thread has one u, or several where there are fewer than 16 lanes,
/// and points l of it; where there are 32 lanes, a step over a in l = l' + 16 a, from which
/// v = 2 v' + parity has its parity; the rest of l to v. Where 12 points are taken, lanes are left
/// without a u in the last step, and do that of another one again.
template <class Real, int N>
struct RowTransform {
  using Taken = Points<Real, radix_of(N)>;
  using Line = Points<Real>;

  static constexpr int taken = radix_of(N);
  static constexpr int lanes = N / taken;
  static constexpr int pitch = lanes + 1;  ///< odd: threads of several u meet in no bank
  static constexpr int shared_points = taken * pitch;
  static constexpr int own_u = lanes < radix ? radix / lanes : 1;  ///< values of u of a lane
  static_assert(lanes == 4 || lanes == 8 || lanes == 16 || lanes == 32);
  static_assert(lanes * taken == N && shared_points >= N);

  /// The n-th of a lane.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static int u_of(int lane, int n = 0) {
    const int u = lane % radix + n * lanes;
    return has_u(lane, n) ? u : taken - 1;
  }
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static int parity_of(int lane) {
    return lane / radix;
  }
  /// Whether point i of a lane's result is its own; the mode of the first one, and how far from it
  /// that of point i is.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static bool has_mode(int lane, int i) {
    return has_u(lane, i % own_u);
  }
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static int first_mode(int lane) {
    return lane % radix + taken * parity_of(lane);
  }
  BANKFULL_HOST_DEVICE static constexpr int to_mode(int i) {
    return i % own_u * lanes + i / own_u * (lanes == 32 ? 2 * taken : taken);
  }
  /// Powers of this root of N are the twiddle factors of the last step for the lane's n-th u.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static int root_of(int lane, int n = 0) {
    return u_of(lane, n) + taken * parity_of(lane);
  }
  /// The root of N for take_sums().
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static int root_of_sums(int lane) {
    return u_of(lane) * radix;
  }

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static void leave(int lane, const Taken& x,
                                                                Complex<Real>* shared) {
    BANKFULL_UNROLL
    for (int u = 0; u < taken; ++u) {
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

  /// Of 32 lanes. `root`: exp(-2 pi i 16 u / N).
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

  /// The last step of up to 16 lanes. `roots`: exp(-2 pi i u / N) of the lane's values of u.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Line finish(int lane,
                                                                 const Points<Real, own_u>& roots,
                                                                 const Complex<Real>* shared) {
    Line x;
    BANKFULL_UNROLL
    for (int n = 0; n < own_u; ++n) {
      Points<Real, lanes> of_u = take(u_of(lane, n), shared);
      transform<Real, lanes>(of_u, roots[n]);
      BANKFULL_UNROLL
      for (int v = 0; v < lanes; ++v) {
        x[v * own_u + n] = of_u[v];
      }
    }
    return x;
  }

 private:
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static bool has_u(int lane, int n) {
    return taken == radix || lane % radix + n * lanes < taken;
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
template <class Real, int N, int Rows>
struct RowModes {
  static constexpr int row_pairs = Rows / 2;

  BANKFULL_HOST_DEVICE static constexpr int mirrored(int k) { return k == 0 ? N / 2 : N - k; }

  /// Doubled, but for k = 0, from the transforms of pairs, `pitch` apart.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Points<Real, Rows> separate(
      int k, const Complex<Real>* pairs, int pitch) {
    Points<Real, Rows> x;
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

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static void join(int k, const Points<Real, Rows>& x,
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
