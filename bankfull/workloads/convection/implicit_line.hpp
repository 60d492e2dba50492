#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/point.hpp"

namespace bankfull::convection {

/// What the matrix (1 - time nu D) of one field on a line along one axis follows from, on a host or
/// on a GPU.
struct ImplicitLine {
  const NeighbourWeights<double>* weights = nullptr;  ///< of D, at each place
  int count = 0;
  bool on_faces = false;  ///< the field is the velocity along the axis: zero on the wall below
  double diffusivity = 0.0;
  double ghost[2] = {};  ///< Continuation::factor at both ends

  /// Thomas's factors at all places, `step` apart. Rows of the matrix are - below,
  /// 1 + below + above, - above. A ghost is a part of the unknown beside it; a velocity on its own
  /// wall is no unknown, and zero.
  template <class Real>
  BANKFULL_HOST_DEVICE void form(double time, LineFactors<Real>* factors, int step) const {
    const double scale = time * diffusivity;
    double back = 0.0;
    for (int n = 0; n < count; ++n, factors += step) {
      if (on_faces && n == 0) {
        *factors = {};
        continue;
      }
      const double below = scale * weights[n].below;
      const double above = scale * weights[n].above;
      const double diagonal = 1.0 + below * (1.0 - (n == 0 ? ghost[0] : back)) +
                              above * (1.0 - (n + 1 == count ? ghost[1] : 0.0));
      const double per_diagonal = 1.0 / diagonal;
      back = n + 1 == count ? 0.0 : above * per_diagonal;
      *factors = {.scale = static_cast<Real>(per_diagonal),
                  .carry = static_cast<Real>(n == 0 ? 0.0 : below * per_diagonal),
                  .back = static_cast<Real>(back)};
    }
  }

  /// What the wall beyond one end adds to the right side beside it, for each unit that it gives the
  /// ghost; nothing to a velocity that ends at the wall.
  [[nodiscard]] BANKFULL_HOST_DEVICE double wall_weight(double time, int side) const {
    const double weight = side == 0 ? weights[0].below : weights[count - 1].above;
    return on_faces ? 0.0 : time * diffusivity * weight;
  }

  /// By how much the sum of the matrix's row of the first or the last unknown is larger than 1.
  [[nodiscard]] BANKFULL_HOST_DEVICE double row_excess(double time, int side) const {
    if (on_faces) {
      const int first = count > 1 ? 1 : 0;
      return time * diffusivity * (side == 0 ? weights[first].below : weights[count - 1].above);
    }
    return wall_weight(time, side) * (1.0 - ghost[side]);
  }
};

}  // namespace bankfull::convection
