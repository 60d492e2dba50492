#pragma once

#include "bankfull/core/base/reciprocal.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/points.hpp"

#include <cmath>

namespace bankfull::poisson::three_pass {

// Pass 2's elimination along i, of the systems that elimination.hpp describes, by parts of 16 cells
// between walls. Every part eliminates all its cells but the last one, its separator; what is left
// is a chain of separators, one number each. As there, couplings and dominances are sums and
// products of positive numbers.

/// What the elimination knows of a cell.
template <class Real>
struct alignas(2 * sizeof(Real)) PartCell {
  Real width;
  Real above;  ///< coupling to the next cell
};

/// What a part leaves of its couplings, between the separator below and its own.
template <class Real>
struct PartCouplings {
  Real dominance;        ///< of its separator
  Real below;            ///< coupling of the separators
  Real below_dominance;  ///< what the one below gains
};

/// What it adds to the right sides of both.
template <class Real>
struct PartSides {
  Complex<Real> own;
  Complex<Real> below;
};

/// One mode's elimination of a part. Only inverse pivots stay in registers: what else belongs to a
/// cell is formed again.
template <class Real>
class Part {
 public:
  static constexpr int cells = radix;
  static constexpr int eliminated = radix - 1;

  /// `cell` is the first; there is one before it.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE PartCouplings<Real> eliminate_couplings(
      const PartCell<Real>* cell, Real decay) {
    using std::fma;
    Real dominance{0};
    Real closing = cell[-1].above;
    Real below_dominance{0};
    BANKFULL_UNROLL
    for (int n = 0; n < eliminated; ++n) {
      const PartCell<Real> at = cell[n];
      dominance = fma(decay, at.width, dominance);
      const Real inverse = reciprocal((at.above + closing) + dominance);
      const Real up = at.above * inverse;
      below_dominance = fma(closing * inverse, dominance, below_dominance);
      dominance *= up;
      closing *= up;
      inverse_[n] = inverse;
    }
    return {fma(decay, cell[eliminated].width, dominance), closing, below_dominance};
  }

  /// Right sides become those of the eliminated system.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE PartSides<Real> eliminate_sides(
      const PartCell<Real>* cell, Points<Real>& x) const {
    Real closing = cell[-1].above;
    Complex<Real> below{Real{0}, Real{0}};
    BANKFULL_UNROLL
    for (int n = 0; n < eliminated; ++n) {
      const Real up = cell[n].above * inverse_[n];
      below = plus(below, closing * inverse_[n], x[n]);
      x[n + 1] = plus(x[n + 1], up, x[n]);
      closing *= up;
    }
    return {x[eliminated], below};
  }

  /// From what eliminate_sides() left to the solution, by those of the separators.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void substitute(const PartCell<Real>* cell,
                                                              Complex<Real> own,
                                                              Complex<Real> below,
                                                              Points<Real>& x) const {
    Complex<Real> inflow = scaled(below, cell[-1].above);
    BANKFULL_UNROLL
    for (int n = 0; n < eliminated; ++n) {
      x[n] = sum(x[n], inflow);
      inflow = scaled(inflow, cell[n].above * inverse_[n]);
    }
    x[eliminated] = own;
    asm volatile("" ::: "memory");  // couplings are read again, not kept in registers
    BANKFULL_UNROLL
    for (int n = eliminated - 1; n >= 0; --n) {
      x[n] = scaled(plus(x[n], cell[n].above, x[n + 1]), inverse_[n]);
    }
  }

 private:
  Real inverse_[eliminated];
};

/// The constant mode has no dominance. Its right sides have no sum, so a coupling of the last cell
/// to the ground, this one, fixes the constant and carries nothing but rounding.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real coupling_to_ground(const PartCell<Real>* last) {
  return last[-1].above;
}

/// What a separator's row gives to that of a neighbour, when the separator is eliminated from it.
template <class Real>
struct Share {
  Real coupling;
  Real dominance;
  Complex<Real> side;

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Share nothing() {
    return {Real{0}, Real{0}, {Real{0}, Real{0}}};
  }
};

/// A separator in the chain of a mode. Cyclic reduction of all rows at a time (R. W. Hockney, C. R.
/// Jesshope, Parallel Computers, 1981: PARACR): in each step every row gets rid of its neighbours,
/// and is coupled to those twice as far away instead.
template <class Real>
struct ChainRow {
  Real below;  ///< couplings
  Real above;
  Real dominance;
  Complex<Real> side;

  [[nodiscard]] BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real inverse() const {
    return reciprocal((below + above) + dominance);
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Share<Real> upwards(
      Real inverse) const {
    const Real part = above * inverse;
    return {part * below, part * dominance, scaled(side, part)};
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Share<Real> downwards(
      Real inverse) const {
    const Real part = below * inverse;
    return {part * above, part * dominance, scaled(side, part)};
  }

  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void take_below(const Share<Real>& share) {
    below = share.coupling;
    take(share);
  }
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void take_above(const Share<Real>& share) {
    above = share.coupling;
    take(share);
  }

  /// When no neighbours are left.
  [[nodiscard]] BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Complex<Real> solution() const {
    return scaled(side, reciprocal(dominance));
  }

 private:
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void take(const Share<Real>& share) {
    dominance += share.dominance;
    side = sum(side, share.side);
  }
};

}  // namespace bankfull::poisson::three_pass
