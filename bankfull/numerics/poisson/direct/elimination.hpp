#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/lane.hpp"

#include <limits>

namespace bankfull::poisson {

// The equation of one mode along axis i, times the cells' widths, is a symmetric tridiagonal system
// in the amplitudes p, on a periodic axis with one more entry in two corners. Neighbouring cells
// are coupled by 1 / distance, the right side is -f * width, and each diagonal exceeds the sum of
// its row's couplings by `decay` * width, the row's dominance, where -decay is the mode's
// eigenvalue along j and k. The last cell is the root; the corner entry, the closing coupling,
// joins the first cell to it. Eliminating cell after cell from below leaves systems of the same
// kind. Couplings and dominances are sums and products of positive numbers: none loses digits. (In
// a ladder of resistors p are voltages, couplings conductances, and dominance is the conductance to
// ground.)

/// What the eliminated cells leave behind in the row of the first cell that remains.
template <class Real>
struct LowerEnd {
  Real dominance = 0;
  Real closing = 0;
};

/// How the solution of an eliminated cell follows from the cells that remain:
/// p = inverse * right_side + up * p(+1) + around * p(root).
template <class Real>
struct Pivot {
  Real inverse;
  Real up;
  Real around;
};

/// x where `of` is larger than `limit`, else 0, as packs have it for each lane.
template <class Number, class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real where_above(Number limit, Real of, Real x) {
  return of > limit ? x : Real{0};
}

/// Of numbers, or of as many lanes as a Pack has. `Cyclic`: whether there may be a closing
/// coupling.
template <bool Cyclic>
struct Elimination {
  /// Eliminates the cell with this dominance of its own and the coupling `above` to the next one.
  /// `end` becomes the next cell's; `root_dominance` grows by what the root's row gains.
  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Pivot<Real> eliminate(Real dominance,
                                                                           Real above,
                                                                           LowerEnd<Real>& end,
                                                                           Real& root_dominance) {
    using Number = typename Lane<Real>::Type;
    const Real dominance_here = end.dominance + dominance;
    Pivot<Real> pivot{};
    if constexpr (Cyclic) {
      pivot.inverse = Number{1} / (above + dominance_here + end.closing);
      pivot.up = above * pivot.inverse;
      pivot.around = end.closing * pivot.inverse;
      root_dominance = root_dominance + pivot.around * dominance_here;
      end.closing = normal(pivot.up * end.closing);
    } else {
      pivot.inverse = Number{1} / (above + dominance_here);
      pivot.up = above * pivot.inverse;
    }
    end.dominance = pivot.up * dominance_here;
    return pivot;
  }

  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Real solution(const Pivot<Real>& pivot,
                                                                   Real particular, Real next,
                                                                   Real root) {
    const Real by_next = particular + pivot.up * next;
    if constexpr (Cyclic) {
      return by_next + pivot.around * root;
    } else {
      return by_next;
    }
  }

 private:
  /// Denormal numbers are slow on CPUs.
  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Real normal(Real value) {
    using Number = typename Lane<Real>::Type;
    constexpr auto least =
        std::numeric_limits<Number>::min() / std::numeric_limits<Number>::epsilon();
    return where_above(least, value, value);
  }
};

/// The root's solution: 0 in a system without dominance, which determines p up to a constant.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real root_solution(Real right_side, Real dominance) {
  return dominance > Real{0} ? right_side / dominance : Real{0};
}

}  // namespace bankfull::poisson
