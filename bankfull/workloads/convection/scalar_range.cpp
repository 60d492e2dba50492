#include "bankfull/workloads/convection/scalar_range.hpp"

#include "bankfull/numerics/formula/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bankfull::convection {
namespace {

/// `varying`: what its formula of time adds.
ScalarRange range_on_wall(const Problem& problem, std::size_t axis, std::size_t side,
                          const WallScalar& wall, const formula::Interval& varying) {
  ScalarRange found{wall.value + varying.least, wall.value + varying.most};
  for (std::size_t b = 0; b < 3; ++b) {
    const AxisCells& along = problem.axes[b];
    const double at_lower = wall.slope[b] * (b == axis && side == 1 ? along.upper : along.lower);
    const double at_upper = wall.slope[b] * (b == axis && side == 0 ? along.lower : along.upper);
    found.least += std::min(at_lower, at_upper);
    found.most += std::max(at_lower, at_upper);
  }
  return found;
}

/// What a range comes to with all walls that prescribe a value; varying(wall): what its formula of
/// time adds.
template <class Varying>
ScalarRange range_on_walls(const Problem& problem, const Scalar& scalar, ScalarRange range,
                           const Varying& varying) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t side = 0; side < 2 && !problem.axes[axis].periodic; ++side) {
      const WallScalar& wall = scalar.walls[axis][side];
      if (!wall.is_flux) {
        const ScalarRange there = range_on_wall(problem, axis, side, wall, varying(wall));
        range = {std::min(range.least, there.least), std::max(range.most, there.most)};
      }
    }
  }
  return range;
}

}  // namespace

ScalarRange with_walls(const Problem& problem, const Scalar& scalar, ScalarRange range) {
  return range_on_walls(problem, scalar, range, [&](const WallScalar& wall) {
    return wall.varying ? formula::bounds_of(*wall.varying, {0.0, longest_run(problem)})
                        : formula::Interval{0.0, 0.0};
  });
}

std::optional<ScalarRange> range_on_walls_at_start(const Problem& problem, const Scalar& scalar) {
  const ScalarRange found =
      range_on_walls(problem, scalar, {HUGE_VAL, -HUGE_VAL}, [](const WallScalar& wall) {
        const double varying = value_at(wall.varying, 0.0);
        return formula::Interval{varying, varying};
      });
  return found.least <= found.most ? std::optional(found) : std::nullopt;
}

}  // namespace bankfull::convection
