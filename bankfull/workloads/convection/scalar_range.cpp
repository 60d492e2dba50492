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

bool prescribes_value(const WallScalar& wall) { return !wall.is_flux; }

bool is_fixed(const WallScalar& wall) { return wall.is_fixed(); }

formula::Interval varying_at_start(const WallScalar& wall) {
  const double varying = value_at(wall.varying, 0.0);
  return {varying, varying};
}

/// What a range comes to with all walls that count; varying(wall): what its formula of time adds.
template <class Counts, class Varying>
ScalarRange range_on_walls(const Problem& problem, const Scalar& scalar, ScalarRange range,
                           const Counts& counts, const Varying& varying) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t side = 0; side < 2 && !problem.axes[axis].periodic; ++side) {
      const WallScalar& wall = scalar.walls[axis][side];
      if (counts(wall)) {
        const ScalarRange there = range_on_wall(problem, axis, side, wall, varying(wall));
        range = {std::min(range.least, there.least), std::max(range.most, there.most)};
      }
    }
  }
  return range;
}

}  // namespace

ScalarRange sampled_range(const Problem& problem, const PointFunction& function) {
  if (!function) {
    return {};
  }
  constexpr int parts = 8;
  const auto place = [&](std::size_t axis, int part) {
    const AxisCells& cells = problem.axes[axis];
    return cells.lower + (part + 0.5) / parts * (cells.upper - cells.lower);
  };
  ScalarRange found{HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < parts; ++i) {
    for (int j = 0; j < parts; ++j) {
      for (int k = 0; k < parts; ++k) {
        const double value = function(place(0, i), place(1, j), place(2, k));
        found = {std::min(found.least, value), std::max(found.most, value)};
      }
    }
  }
  return found;
}

ScalarRange with_walls(const Problem& problem, const Scalar& scalar, ScalarRange range) {
  return range_on_walls(problem, scalar, range, prescribes_value, [&](const WallScalar& wall) {
    return wall.varying ? formula::bounds_of(*wall.varying, {0.0, longest_run(problem)})
                        : formula::Interval{0.0, 0.0};
  });
}

std::optional<ScalarRange> range_on_fixed_walls_at_start(const Problem& problem,
                                                         const Scalar& scalar) {
  const ScalarRange found =
      range_on_walls(problem, scalar, {HUGE_VAL, -HUGE_VAL}, is_fixed, varying_at_start);
  return found.least <= found.most ? std::optional(found) : std::nullopt;
}

ScalarRange with_fixed_walls_at_start(const Problem& problem, const Scalar& scalar,
                                      ScalarRange range) {
  return range_on_walls(problem, scalar, range, is_fixed, varying_at_start);
}

}  // namespace bankfull::convection
