#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"

#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// Columns whose transforms a block makes side by side: as many as make 64 KiB of points, at most a
/// cache line of them.
constexpr int columns_together(std::int64_t length) {
  return length <= 512 ? 8 : length == 1024 ? 4 : 2;
}

/// How the field is cut: into planes that are square, one behind the other. A plane has rows and
/// columns of `side` points. In every class at least two axes have the same length: they span the
/// planes, the third is the depth.
///
/// A field stands in memory in one of two orders, both made of groups of columns:
/// - as planes: each plane group of columns after group, row after row;
/// - as lines: group of columns after group, row after row, plane after plane.
/// So the points that a block transforms along a column of planes, or along the depth of lines,
/// stand together.
struct Shape {
  int depth;
  int side;
  int plane_group;  ///< columns that stand side by side as planes
  int line_group;   ///< as lines; divides the other

  /// What a step along an axis means in the field as NPB has it: from a point to the next of its
  /// order, and from a point of a checksum to the next.
  struct Axis {
    std::int64_t stride;
    int checksum_step;
  };
  Axis along_depth;
  Axis along_row;     ///< from row to row
  Axis along_column;  ///< from column to column

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t points() const {
    return std::int64_t{depth} * side * side;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t in_planes(int plane, int row, int column) const {
    const std::int64_t group = std::int64_t{plane} * (side / plane_group) + column / plane_group;
    return (group * side + row) * plane_group + column % plane_group;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t in_lines(int plane, int row, int column) const {
    const std::int64_t line = std::int64_t{column / line_group} * side + row;
    return (line * depth + plane) * line_group + column % line_group;
  }
  /// Place in NPB's order, x fastest.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t in_order(int plane, int row, int column) const {
    return plane * along_depth.stride + row * along_row.stride + column * along_column.stride;
  }
};

inline Shape shape_of(const FtParameters& ft) {
  const Shape::Axis x{1, checksum_step_x};
  const Shape::Axis y{ft.nx, checksum_step_y};
  const Shape::Axis z{ft.nx * ft.ny, checksum_step_z};
  const bool planes_of_xy = ft.nx == ft.ny;
  const std::int64_t depth = planes_of_xy ? ft.nz : ft.nx;
  return {.depth = static_cast<int>(depth),
          .side = static_cast<int>(ft.ny),
          .plane_group = columns_together(ft.ny),
          .line_group = columns_together(depth),
          .along_depth = planes_of_xy ? z : x,
          .along_row = y,
          .along_column = planes_of_xy ? x : z};
}

}  // namespace bankfull::npb::ft::cuda
