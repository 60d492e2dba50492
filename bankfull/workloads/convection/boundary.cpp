#include "bankfull/workloads/convection/boundary.hpp"

#include "bankfull/core/exec/team.hpp"

#include <array>

namespace bankfull::convection {
namespace {

/// Width of the cell at one end of an axis, which is the distance from its centre to its image.
double width_at_wall(const GridAxis& line, int side) {
  return line.cells.distance(side == 0 ? 0 : line.count());
}

/// What goes beyond a wall midway between a value and its ghost is (1 - share) value + share * W:
/// W is what the wall gives, and `length` times the gradient is what is missing of it at the wall.
/// A length of 0 fixes the value, share = 2. With kappa / transfer for the length it is
/// 2 Bi / (1 + Bi), Bi = transfer * width / (2 kappa).
double share_of_wall(double length, double width) { return 2.0 / (1.0 + 2.0 * length / width); }

Continuation of_velocity(const WallMotion& wall, int own_axis, int axis, int side, const Grid& grid,
                         double time) {
  const bool through = axis == own_axis;
  if (through) {
    return {};
  }
  if (wall.free_slip) {
    return {.factor = 1.0};
  }
  const auto along = static_cast<std::size_t>(grid.physical(own_axis));
  const double share = share_of_wall(wall.slip_length, width_at_wall(grid.axis(axis), side));
  return {.factor = 1.0 - share,
          .constant = share * wall.velocity[along],
          .varying = share * value_at(wall.varying[along], time),
          .share = share};
}

Continuation of_scalar(const WallScalar& wall, double diffusivity, int axis, int side,
                       const Grid& grid, double time) {
  const GridAxis& line = grid.axis(axis);
  const double varying = value_at(wall.varying, time);
  if (wall.is_flux) {
    const double share = width_at_wall(line, side) / diffusivity;
    return {.factor = 1.0,
            .constant = wall.flux / diffusivity * width_at_wall(line, side),
            .varying = share * varying,
            .share = share};
  }
  const double length = wall.is_fixed() ? 0.0 : diffusivity / wall.transfer;
  const double share = share_of_wall(length, width_at_wall(line, side));
  Continuation rule{.factor = 1.0 - share,
                    .constant = share * wall.value,
                    .varying = share * varying,
                    .share = share};
  for (const int b : storage_axes) {
    const double slope = share * wall.slope[static_cast<std::size_t>(grid.physical(b))];
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

std::vector<Continuations> continuations_of(const Problem& problem, const Grid& grid, double time) {
  std::vector<Continuations> fields;
  fields.reserve(3 + problem.scalars.size());
  for (const int own : storage_axes) {
    fields.push_back(collect(grid, [&](int axis, std::size_t physical, int side) {
      const WallMotion& wall = problem.walls[physical][static_cast<std::size_t>(side)];
      return of_velocity(wall, own, axis, side, grid, time);
    }));
  }
  for (const Scalar& scalar : problem.scalars) {
    fields.push_back(collect(grid, [&](int axis, std::size_t physical, int side) {
      const WallScalar& wall = scalar.walls[physical][static_cast<std::size_t>(side)];
      return of_scalar(wall, scalar.diffusivity, axis, side, grid, time);
    }));
  }
  return fields;
}

std::vector<Continuations> continuations_of_block(std::vector<Continuations> rules,
                                                  const Grid& grid, const Box& block) {
  const WallFaces faces = wall_faces_of(grid, block);
  for (Continuations& of_field : rules) {
    for (const int axis : storage_axes) {
      for (const int side : {0, 1}) {
        of_field.at[axis][side].goes_on = faces.goes_on[axis][side];
      }
    }
  }
  return rules;
}

WallFaces wall_faces_of(const Grid& grid) { return wall_faces_of(grid, box_of(grid.extents())); }

WallFaces wall_faces_of(const Grid& grid, const Box& block) {
  const std::array<Range, 3> ranges{
      {{block.i0, block.i1}, {block.j0, block.j1}, {block.k0, block.k1}}};
  WallFaces faces;
  for (const int axis : storage_axes) {
    const Range& range = ranges[static_cast<std::size_t>(axis)];
    const std::int64_t cells = grid.axis(axis).count();
    const bool periodic = grid.axis(axis).cells.periodic;
    const bool is_cut = range.size() < cells;
    faces.walled[axis] = !periodic;
    faces.goes_on[axis][0] = is_cut && (periodic || range.begin > 0);
    faces.goes_on[axis][1] = is_cut && (periodic || range.end < cells);
  }
  return faces;
}

}  // namespace bankfull::convection
