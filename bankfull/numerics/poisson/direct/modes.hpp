#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/lane.hpp"

namespace bankfull::poisson {

/// Not std::complex, whose functions are no device code. Of numbers both parts are loaded at once.
template <class Real>
struct alignas(sizeof(Real) > sizeof(double) ? alignof(Real) : 2 * sizeof(Real)) Complex {
  Real re;
  Real im;
};

template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> times(Complex<Real> a, Complex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> conjugate(Complex<Real> a) {
  return {a.re, -a.im};
}

/// Four real amplitudes.
template <class Real>
struct Amplitudes {
  Real of[4];
};

/// Two elements of a plane's spectrum, at (j, k) and at (j', k) with j' = (nj - j) mod nj, each
/// times its twist.
template <class Real>
struct ElementPair {
  Complex<Real> a;
  Complex<Real> b;
};

/// From the spectrum of a real plane, its axes that end at walls folded (see slot_of), to the
/// amplitudes of the modes that diagonalise the second differences, and back.
///
/// Along a folded axis of n cells V is the Fourier transform of the folded values, X their cosine
/// transform and t(m) = exp(-i pi m / (2 n)). Makhoul (cited at slot_of):
///
///   t(m) V(m) = (X(m) - i X(n - m)) / 2,  X(n) = 0,
///
/// for complex values too. Times t the pair (j, j') thus mixes up to four real amplitudes of up to
/// four modes: those of j or nj - j, where j is folded, and of k or nk - k, where k is.
template <bool WallJ, bool WallK>
struct Modes {
  static constexpr bool wall_j = WallJ;
  static constexpr bool wall_k = WallK;

  /// Different modes in one pair of elements, each a system of equations along i.
  static constexpr int count = (WallJ ? 2 : 1) * (WallK ? 2 : 1);

  BANKFULL_HOST_DEVICE static constexpr int mode_of(int amplitude) { return amplitude * count / 4; }

  /// Whether the mode is that of nj - j, of nk - k.
  BANKFULL_HOST_DEVICE static constexpr bool mirrors_j(int mode) {
    return WallJ && (WallK ? mode / 2 : mode) == 1;
  }
  BANKFULL_HOST_DEVICE static constexpr bool mirrors_k(int mode) { return WallK && mode % 2 == 1; }

  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Amplitudes<Real> separate(
      const ElementPair<Real>& pair) {
    const Complex<Real> a = pair.a;
    const Complex<Real> b = pair.b;
    if constexpr (WallJ) {  // a + i b and b + i a
      return {{a.re - b.im, a.im + b.re, b.re - a.im, b.im + a.re}};
    } else if constexpr (WallK) {  // a + b* and i (a - b*), where b* is conjugate
      return {{a.re + b.re, a.im - b.im, -(a.im + b.im), a.re - b.re}};
    } else {
      return {{a.re, a.im, b.re, b.im}};
    }
  }

  /// Undoes separate().
  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static ElementPair<Real> join(
      const Amplitudes<Real>& x) {
    constexpr typename Lane<Real>::Type half{0.5};
    if constexpr (WallJ) {
      return {{half * (x.of[0] + x.of[3]), half * (x.of[1] - x.of[2])},
              {half * (x.of[2] + x.of[1]), half * (x.of[3] - x.of[0])}};
    } else if constexpr (WallK) {
      return {{half * (x.of[0] + x.of[3]), half * (x.of[1] - x.of[2])},
              {half * (x.of[0] - x.of[3]), -half * (x.of[1] + x.of[2])}};
    } else {
      return {{x.of[0], x.of[1]}, {x.of[2], x.of[3]}};
    }
  }
};

/// The same where rows of the spectrum are amplitudes of modes along j already, by a basis of the
/// axis' own: rows j and j' share their way only.
template <bool TwoAlongK>
struct RowModes : Modes<true, TwoAlongK> {
  static constexpr bool wall_j = false;  ///< no twist

  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Amplitudes<Real> separate(
      const ElementPair<Real>& pair) {
    return {{pair.a.re, pair.a.im, pair.b.re, pair.b.im}};
  }

  /// Undoes separate().
  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static ElementPair<Real> join(
      const Amplitudes<Real>& x) {
    return {{x.of[0], x.of[1]}, {x.of[2], x.of[3]}};
  }
};

}  // namespace bankfull::poisson
