#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/metrics.hpp"

namespace bankfull::convection {

/// What walls that vary with time add to the right side of a stage with implicit diffusion: lines
/// are solved for the end of the stage, and walls prescribe something else there than at its
/// beginning, which the ghosts hold.
///
/// In (1 - a D) u = right side, a = theta tau nu, a wall's ghost that grows by c adds a w c beside
/// the wall, w the weight of the ghost in D. With factors along several axes each has the walls
/// across its axis in its right side. So the second one's pass through the first matrix, which
/// multiplies what is alike along its lines by its row sums: 1 but at the ends of lines. The order
/// of the axes thus counts where walls meet, by a^2: the mean of all orders is taken.
template <class Real>
struct WallChanges {
  Real part[3][2][max_fields] = {};    ///< a w c: [axis][lower, upper][field]
  Real excess[3][2][max_fields] = {};  ///< row sums less 1 at the first and the last unknown

  /// What is added to a field in a cell; `cells`: of the grid.
  template <class Index>
  [[nodiscard]] BANKFULL_HOST_DEVICE Real at(int field, const Index (&index)[3],
                                             const Index (&cells)[3]) const {
    Real given[3];
    Real row_sum[3];
    for (int axis = 0; axis < 3; ++axis) {
      const Index first = field == axis ? 1 : 0;  // below lies a velocity on its wall
      const bool lower = index[axis] == first;
      const bool upper = index[axis] + 1 == cells[axis];
      given[axis] =
          (lower ? part[axis][0][field] : Real(0)) + (upper ? part[axis][1][field] : Real(0));
      row_sum[axis] = Real(1) + (lower ? excess[axis][0][field] : Real(0)) +
                      (upper ? excess[axis][1][field] : Real(0));
    }
    return given[0] * mean_of_orders(row_sum[1], row_sum[2]) +
           given[1] * mean_of_orders(row_sum[2], row_sum[0]) +
           given[2] * mean_of_orders(row_sum[0], row_sum[1]);
  }

 private:
  /// The mean, over all orders of three axes, of the product of the row sums of the axes before the
  /// third: none of them in two orders of six, each in one, and both in two.
  [[nodiscard]] BANKFULL_HOST_DEVICE static Real mean_of_orders(Real one, Real other) {
    return (Real(2) + one + other + Real(2) * one * other) / Real(6);
  }
};

}  // namespace bankfull::convection
