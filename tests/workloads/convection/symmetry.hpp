#pragma once

#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace bankfull::convection {

/// Axis a of the new problem is axis order[a] of the old one.
using AxisOrder = std::array<std::size_t, 3>;

inline Vector reordered(const Vector& vector, const AxisOrder& order) {
  return {vector[order[0]], vector[order[1]], vector[order[2]]};
}

inline PointFunction reordered(const PointFunction& function, const AxisOrder& order) {
  if (!function) {
    return {};
  }
  return [function, order](double x, double y, double z) {
    const Vector place{x, y, z};
    Vector old{};
    for (std::size_t a = 0; a < 3; ++a) {
      old[order[a]] = place[a];
    }
    return function(old[0], old[1], old[2]);
  };
}

inline bool is_even(const AxisOrder& order) { return (order[1] + 3 - order[0]) % 3 == 1; }

/// The same problem in axes that are named otherwise. Noise is left out: it belongs to the names.
inline Problem reordered(const Problem& old, const AxisOrder& order) {
  Problem problem = old;
  problem.noise = 0.0;
  problem.rotation = reordered(old.rotation, order);
  for (double& turn : problem.rotation) {
    turn *= is_even(order) ? 1.0 : -1.0;  // an axial vector
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t from = order[a];
    problem.axes[a] = old.axes[from];
    problem.walls[a] = old.walls[from];
    for (WallMotion& wall : problem.walls[a]) {
      wall.velocity = reordered(wall.velocity, order);
    }
    problem.initial_velocity[a] = reordered(old.initial_velocity[from], order);
    problem.force[a] = reordered(old.force[from], order);
    for (std::size_t s = 0; s < old.scalars.size(); ++s) {
      problem.scalars[s].walls[a] = old.scalars[s].walls[from];
      for (WallScalar& wall : problem.scalars[s].walls[a]) {
        wall.slope = reordered(wall.slope, order);
      }
    }
  }
  for (Scalar& scalar : problem.scalars) {
    scalar.buoyancy = reordered(scalar.buoyancy, order);
    scalar.initial = reordered(scalar.initial, order);
    scalar.source = reordered(scalar.source, order);
  }
  return problem;
}

inline PointFunction mirrored(const PointFunction& function, std::size_t axis, double sign) {
  if (!function) {
    return {};
  }
  return [function, axis, sign](double x, double y, double z) {
    Vector place{x, y, z};
    place[axis] = -place[axis];
    return sign * function(place[0], place[1], place[2]);
  };
}

/// The problem seen in a mirror across one axis: x becomes -x.
inline Problem mirrored(const Problem& old, std::size_t axis) {
  Problem problem = old;
  problem.noise = 0.0;
  problem.axes[axis].lower = -old.axes[axis].upper;
  problem.axes[axis].upper = -old.axes[axis].lower;
  std::swap(problem.walls[axis][0], problem.walls[axis][1]);
  for (std::size_t a = 0; a < 3; ++a) {
    const double sign = a == axis ? -1.0 : 1.0;
    problem.rotation[a] *= -sign;  // an axial vector
    problem.initial_velocity[a] = mirrored(old.initial_velocity[a], axis, sign);
    problem.force[a] = mirrored(old.force[a], axis, sign);
    for (WallMotion& wall : problem.walls[a]) {
      wall.velocity[axis] = -wall.velocity[axis];
    }
  }
  for (Scalar& scalar : problem.scalars) {
    std::swap(scalar.walls[axis][0], scalar.walls[axis][1]);
    for (auto& walls : scalar.walls) {
      for (WallScalar& wall : walls) {
        wall.slope[axis] = -wall.slope[axis];
      }
    }
    scalar.buoyancy[axis] = -scalar.buoyancy[axis];
    scalar.initial = mirrored(scalar.initial, axis, 1.0);
    scalar.source = mirrored(scalar.source, axis, 1.0);
  }
  return problem;
}

/// Velocity along x, y, z (components 0, 1, 2) or a scalar (3 and more) at physical indices.
class PhysicalView {
 public:
  PhysicalView(const Grid& grid, const FlowState& state) : grid_(grid), state_(state) {}

  [[nodiscard]] double operator()(std::size_t component,
                                  const std::array<std::int64_t, 3>& index) const {
    const Extents n = grid_.extents();
    std::array<std::int64_t, 3> at{};
    for (const int axis : storage_axes) {
      at[static_cast<std::size_t>(axis)] = index[static_cast<std::size_t>(grid_.physical(axis))];
    }
    const std::size_t field =
        component < 3 ? static_cast<std::size_t>(grid_.storage(static_cast<int>(component)))
                      : component;
    return state_.fields[field][static_cast<std::size_t>((at[0] * n.nj + at[1]) * n.nk + at[2])];
  }

 private:
  const Grid& grid_;
  const FlowState& state_;
};

}  // namespace bankfull::convection
