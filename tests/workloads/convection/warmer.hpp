#pragma once

#include "bankfull/workloads/convection/problem.hpp"

#include <cstddef>

namespace bankfull::convection {

/// Without the buoyancy along periodic axes, where a fluid falls by all of its scalars.
inline Problem without_falling(Problem problem) {
  for (Scalar& scalar : problem.scalars) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      scalar.buoyancy[axis] = problem.axes[axis].periodic ? 0.0 : scalar.buoyancy[axis];
    }
  }
  return problem;
}

/// A problem whose scalars are more by a constant, wherever they are prescribed, with a force that
/// takes away what a fluid would fall faster by along periodic axes.
inline Problem warmer(Problem problem, double by) {
  Vector faster = {};
  for (Scalar& scalar : problem.scalars) {
    for (auto& walls : scalar.walls) {
      for (WallScalar& wall : walls) {
        wall.value += wall.is_flux ? 0.0 : by;
      }
    }
    scalar.initial = [before = scalar.initial, by](double x, double y, double z) {
      return by + (before ? before(x, y, z) : 0.0);
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
      faster[axis] += problem.axes[axis].periodic ? by * scalar.buoyancy[axis] : 0.0;
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (faster[axis] != 0.0) {
      problem.force[axis] = [before = problem.force[axis], more = faster[axis]](double x, double y,
                                                                                double z) {
        return (before ? before(x, y, z) : 0.0) - more;
      };
    }
  }
  return problem;
}

}  // namespace bankfull::convection
