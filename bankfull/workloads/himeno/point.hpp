#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>
#include <cstddef>

namespace bankfull::himeno {

/// The coefficient fields, in the order in which an update reads them and in which they are
/// stored: weights a, b and c of the stencil, the source wrk1, the scale a3 and the flag bnd, which
/// is 1 in the fluid and 0 in a solid.
enum Coefficient : int { a0, a1, a2, b0, b1, b2, c0, c1, c2, wrk1, a3, bnd, coefficient_count };

/// The sum of the first terms of `residual`, in its order: the next one needs other rows of the
/// plane above.
template <class Coefficients, class Pressures>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE auto residual_of_first(const Coefficients& q,
                                                                   const Pressures& p) {
  using std::fma;
  auto s = q(a0) * p(+1, 0, 0);
  s = fma(q(a1), p(0, +1, 0), s);
  return fma(q(a2), p(0, 0, +1), s);
}

/// The second half: the residual from the sum `s` of those terms and all others.
template <class Sum, class Coefficients, class Pressures>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE auto residual_of_all(Sum s, const Coefficients& q,
                                                                 const Pressures& p) {
  using std::fma;
  s = fma(q(b0), p.d_j(+1) - p.d_j(-1), s);
  s = fma(q(b1), p.d_k(0, +1) - p.d_k(0, -1), s);
  s = fma(q(b2), p.d_k(+1, 0) - p.d_k(-1, 0), s);
  s = fma(q(c0), p(-1, 0, 0), s);
  s = fma(q(c1), p(0, -1, 0), s);
  s = fma(q(c2), p(0, 0, -1), s);
  s = s + q(wrk1);
  return fma(s, q(a3), -p(0, 0, 0)) * q(bnd);
}

/// Residual of one point of the pressure equation in generalised coordinates,
///
///   p_xx + p_yy + p_zz + alpha p_xy + beta p_xz + gamma p_yz = rho,
///
/// discretised on 19 points (R. Himeno, RIKEN; E. H. Phillips and M. Fatica, "Implementing the
/// Himeno benchmark with CUDA on GPU clusters", IPDPS 2010, equation 1 and Table I).
///
/// `q(a0)` is a coefficient of the point. `p(di, dj, dk)` is the pressure of the neighbour at that
/// offset, `p.d_j(di)` the difference P(di, +1, 0) - P(di, -1, 0), and `p.d_k(di, dj)` the
/// difference P(di, dj, +1) - P(di, dj, -1). The values may be scalars or SIMD packs.
///
/// The order of operations and every fused multiply-add are fixed here, so that all schedules on
/// all devices give the same bits. The mixed derivatives are grouped by plane, which lets a
/// schedule that marches along i carry differences instead of pressures.
template <class Coefficients, class Pressures>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE auto residual(const Coefficients& q,
                                                          const Pressures& p) {
  return residual_of_all(residual_of_first(q, p), q, p);
}

/// The next iterate of a point: over-relaxed by `omega`.
template <class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value relaxed(const Value& pressure,
                                                          const Value& residual,
                                                          const Value& omega) {
  using std::fma;
  return fma(omega, residual, pressure);
}

/// A point's coefficients, read individually: field n lies n strides after the first.
template <class T>
struct CoefficientsAt {
  const T* first;
  std::ptrdiff_t stride;

  BANKFULL_HOST_DEVICE T operator()(Coefficient n) const { return first[n * stride]; }
};

/// The pressures around a point, read individually; `centre` points at it.
template <class T>
struct PressuresAt {
  const T* centre;
  std::ptrdiff_t plane;
  std::ptrdiff_t row;

  BANKFULL_HOST_DEVICE T operator()(int di, int dj, int dk) const {
    return centre[di * plane + dj * row + dk];
  }
  BANKFULL_HOST_DEVICE T d_j(int di) const { return (*this)(di, +1, 0) - (*this)(di, -1, 0); }
  BANKFULL_HOST_DEVICE T d_k(int di, int dj) const {
    return (*this)(di, dj, +1) - (*this)(di, dj, -1);
  }
};

}  // namespace bankfull::himeno
