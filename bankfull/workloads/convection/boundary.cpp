#include "bankfull/workloads/convection/boundary.hpp"

namespace bankfull::convection {
namespace {

Continuation of_velocity(const WallMotion& wall, int own_axis, bool through, const Grid& grid) {
  if (through) {
    return {};
  }
  if (wall.free_slip) {
    return {.factor = 1.0};
  }
  const auto along = static_cast<std::size_t>(grid.physical(own_axis));
  return {.factor = -1.0, .constant = 2.0 * wall.velocity[along]};
}

Continuation of_scalar(const WallScalar& wall, double diffusivity, int axis, int side,
                       const Grid& grid) {
  const GridAxis& line = grid.axis(axis);
  if (wall.is_flux) {
    const double distance = line.cells.distance(side == 0 ? 0 : line.count());
    return {.factor = 1.0, .constant = wall.flux / diffusivity * distance};
  }
  Continuation rule{.factor = -1.0, .constant = 2.0 * wall.value};
  for (const int b : storage_axes) {
    const double slope = 2.0 * wall.slope[static_cast<std::size_t>(grid.physical(b))];
    if (b == axis) {
      rule.constant += slope * (side == 0 ? line.faces.front() : line.faces.back());
    } else {
      rule.slope[b] = slope;
    }
  }
  return rule;
}

/// Calls rule(storage axis, physical axis, side) for the walls and sets periodic ends.
template <class Rule>
Continuations collect(const Grid& grid, const Rule& rule) {
  Continuations all;
  for (const int axis : storage_axes) {
    for (int side = 0; side < 2; ++side) {
      all.at[axis][side] = grid.axis(axis).cells.periodic
                               ? Continuation{.wraps = true, .factor = 1.0}
                               : rule(axis, static_cast<std::size_t>(grid.physical(axis)), side);
    }
  }
  return all;
}

}  // namespace

std::vector<Continuations> continuations_of(const Problem& problem, const Grid& grid) {
  std::vector<Continuations> fields;
  fields.reserve(3 + problem.scalars.size());
  for (const int own : storage_axes) {
    fields.push_back(collect(grid, [&](int axis, std::size_t physical, int side) {
      const WallMotion& wall = problem.walls[physical][static_cast<std::size_t>(side)];
      return of_velocity(wall, own, axis == own, grid);
    }));
  }
  for (const Scalar& scalar : problem.scalars) {
    fields.push_back(collect(grid, [&](int axis, std::size_t physical, int side) {
      const WallScalar& wall = scalar.walls[physical][static_cast<std::size_t>(side)];
      return of_scalar(wall, scalar.diffusivity, axis, side, grid);
    }));
  }
  return fields;
}

WallFaces wall_faces_of(const Grid& grid) {
  WallFaces faces;
  for (const int axis : storage_axes) {
    faces.walled[axis] = !grid.axis(axis).cells.periodic;
  }
  return faces;
}

}  // namespace bankfull::convection
