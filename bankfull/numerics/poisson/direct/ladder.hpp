#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <limits>

namespace bankfull::poisson {

// The equation of one mode along axis i, times the cells' widths, is that of voltages p in a ladder
// of resistors. Neighbouring cells are joined by the conductance 1 / distance, each cell is joined
// to ground by `decay` * width, where -decay is the mode's eigenvalue along j and k, and the
// current -f * width flows into it. The last cell is the root; a periodic axis joins the first cell
// to it, the closing conductance. Eliminating cell after cell from below leaves ladders of the same
// kind. All conductances are sums and products of positive numbers: none loses digits.

/// Conductances of the cell at the lower end of what is left of a ladder: those that the cells
/// eliminated below have left behind.
template <class Real>
struct LowerEnd {
  Real ground = 0;
  Real closing = 0;
};

/// How a cell's voltage depends on what is left when it is eliminated:
/// p = inverse * current + up * p(+1) + around * p(root).
template <class Real>
struct Pivot {
  Real inverse;
  Real up;
  Real around;
};

/// Cyclic: whether there may be a closing conductance.
template <bool Cyclic>
struct Ladder {
  /// Eliminates the cell with conductances `ground` of its own and `above` to the next one. `end`
  /// becomes the next cell's, `root_ground` grows by what goes to the root.
  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Pivot<Real> eliminate(Real ground, Real above,
                                                                           LowerEnd<Real>& end,
                                                                           Real& root_ground) {
    const Real to_ground = end.ground + ground;
    Pivot<Real> pivot{};
    if constexpr (Cyclic) {
      pivot.inverse = Real{1} / (above + to_ground + end.closing);
      pivot.up = above * pivot.inverse;
      pivot.around = end.closing * pivot.inverse;
      root_ground += pivot.around * to_ground;
      end.closing = normal(pivot.up * end.closing);
    } else {
      pivot.inverse = Real{1} / (above + to_ground);
      pivot.up = above * pivot.inverse;
    }
    end.ground = pivot.up * to_ground;
    return pivot;
  }

  template <class Real>
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static Real voltage(const Pivot<Real>& pivot,
                                                                  Real by_current, Real next,
                                                                  Real root) {
    const Real by_next = by_current + pivot.up * next;
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
    constexpr Real least = std::numeric_limits<Real>::min() / std::numeric_limits<Real>::epsilon();
    return value < least ? Real{0} : value;
  }
};

/// The root's voltage. Where nothing is grounded it is free: 0.
template <class Real>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real root_voltage(Real current, Real ground) {
  return ground > Real{0} ? current / ground : Real{0};
}

}  // namespace bankfull::poisson
