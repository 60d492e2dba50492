#include "bankfull/workloads/convection/scalar_range.hpp"

#include "bankfull/numerics/formula/bounds.hpp"

#include <algorithm>
#include <cstddef>

namespace bankfull::convection {
namespace {

ScalarRange range_on_wall(const Problem& problem, std::size_t axis, std::size_t side,
                          const WallScalar& wall) {
  ScalarRange found{wall.value, wall.value};
  if (wall.varying) {
    const formula::Interval varying =
        formula::bounds_of(*wall.varying, {0.0, longest_run(problem)});
    found = {wall.value + varying.least, wall.value + varying.most};
  }
  for (std::size_t b = 0; b < 3; ++b) {
    const AxisCells& along = problem.axes[b];
    const double at_lower = wall.slope[b] * (b == axis && side == 1 ? along.upper : along.lower);
    const double at_upper = wall.slope[b] * (b == axis && side == 0 ? along.lower : along.upper);
    found.least += std::min(at_lower, at_upper);
    found.most += std::max(at_lower, at_upper);
  }
  return found;
}

}  // namespace

ScalarRange with_walls(const Problem& problem, const Scalar& scalar, ScalarRange range) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t side = 0; side < 2 && !problem.axes[axis].periodic; ++side) {
      const WallScalar& wall = scalar.walls[axis][side];
      if (!wall.is_flux) {
        const ScalarRange there = range_on_wall(problem, axis, side, wall);
        range = {std::min(range.least, there.least), std::max(range.most, there.most)};
      }
    }
  }
  return range;
}

}  // namespace bankfull::convection
