#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"

#include <vector>

namespace bankfull::poisson::multigrid {

// Where a solve begins that knows no solution. What is the same all over each plane across axis i
// is an equation along i alone, and solved at once: p is what the means of planes of the right side
// ask for, and the residual the right side without these means. A layer at rest on a hot plate, of
// which the right side is large beside its walls alone, is solved so.

/// A plane across an axis.
struct AxisPlane {
  double share = 1.0;        ///< of the axis
  double share_up_to = 1.0;  ///< of all planes up to this one
  double distance = 0.0;     ///< from its centre to that of the next, also around; 0 at a wall
  double centre = 0.0;       ///< its place, of which the mean over the axis is 0
};

/// One per cell of the axis.
std::vector<AxisPlane> axis_planes(const Axis& axis);

/// Of planes with these means of the right side, the p of each: its mean is 0.
std::vector<double> plane_potentials(const Axis& axis, const std::vector<double>& means);

}  // namespace bankfull::poisson::multigrid
