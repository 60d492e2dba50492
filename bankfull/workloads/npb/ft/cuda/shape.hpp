#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// Tiles, each of which a block transforms: of at most 64 or 128 KiB.
enum class Tiles { small, large };

/// The sequences of a tile, side by side.
constexpr int lines_together(std::int64_t depth, Tiles tiles = Tiles::small) {
  const std::int64_t points = tiles == Tiles::small ? 4096 : 8192;
  return static_cast<int>(std::clamp<std::int64_t>(points / depth, 2, 8));
}
constexpr int columns_together(std::int64_t side, Tiles tiles = Tiles::small) {
  return lines_together(side, tiles);
}
/// Planes of a tile of these columns: two columns of a plane are a memory sector, which rows read
/// whole; lines write adjacent planes together.
constexpr int planes_together(std::int64_t side, Tiles tiles = Tiles::small) {
  return columns_together(side, tiles) / 2;
}
/// Smaller tiles, for more resident blocks: blocks that write nothing have no stores to overlap
/// with their loads. Four rows read whole cache lines.
constexpr int rows_together(std::int64_t side) { return side <= 256 ? 8 : side <= 1024 ? 4 : 2; }

/// How the field is cut: into planes that are square, one behind the other. A plane has rows and
/// columns of `side` points. In every class at least two axes have the same length: they span the
/// planes, the third is the depth.
///
/// A field is stored in one of two orders, both made of the tiles that blocks transform:
/// - as planes: tiles of a few columns of a few planes, row after row;
/// - as lines: tiles of a few columns of a few rows, plane after plane.
/// So the points that a block transforms along a column of planes, or along the depth of lines, are
/// contiguous, and so is the intersection of two tiles: `line_rows` rows of `planes` planes.
///
/// A part of a field, of fewer planes or columns, is a field with a shape of its own.
struct Shape {
  int depth;    ///< in planes
  int side;     ///< in rows
  int columns;  ///< as many as rows, but in parts of fields

  // Sizes of the tiles: powers of two, as their exponents.
  int log2_planes;        ///< of a tile of planes
  int log2_columns;       ///< of a tile of planes
  int log2_line_columns;  ///< of a tile of lines; not more
  int log2_line_rows;     ///< of a tile of lines

  /// A step along an axis, in NPB's order of the field: from a point to the next of its order, and
  /// from a point of a checksum to the next.
  struct Axis {
    std::int64_t stride;
    int checksum_step;
  };
  Axis along_depth;
  Axis along_row;     ///< from row to row
  Axis along_column;  ///< from column to column

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t points() const {
    return std::int64_t{depth} * side * columns;
  }
  /// The columns of a tile of planes, of all its planes together.
  [[nodiscard]] int columns_of_tile() const { return 1 << (log2_planes + log2_columns); }
  [[nodiscard]] int lines_of_tile() const { return 1 << (log2_line_rows + log2_line_columns); }

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t in_planes(int plane, int row, int column) const {
    const std::int64_t tile =
        (plane >> log2_planes) * (columns >> log2_columns) + (column >> log2_columns);
    const std::int64_t run = ((tile * side + row) << log2_planes) + rest(plane, log2_planes);
    return (run << log2_columns) + rest(column, log2_columns);
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t in_lines(int plane, int row, int column) const {
    const std::int64_t tile =
        (column >> log2_line_columns) * (side >> log2_line_rows) + (row >> log2_line_rows);
    const std::int64_t run = ((tile * depth + plane) << log2_line_rows) + rest(row, log2_line_rows);
    return (run << log2_line_columns) + rest(column, log2_line_columns);
  }
  /// Position in NPB's order, x fastest.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t in_order(int plane, int row, int column) const {
    return plane * along_depth.stride + row * along_row.stride + column * along_column.stride;
  }

  /// So many of its planes and columns.
  [[nodiscard]] Shape part(int planes_of_it, int columns_of_it) const {
    Shape result = *this;
    result.depth = planes_of_it;
    result.columns = columns_of_it;
    return result;
  }

  /// The rest of n when divided by a power of two.
  static BANKFULL_HOST_DEVICE constexpr int rest(int n, int log2) { return n & ((1 << log2) - 1); }
};

/// With tiles of so many planes: 1, 2 or 4.
inline Shape shape_of(const FtParameters& ft, int planes, Tiles tiles = Tiles::small) {
  const Shape::Axis x{1, checksum_step_x};
  const Shape::Axis y{ft.nx, checksum_step_y};
  const Shape::Axis z{ft.nx * ft.ny, checksum_step_z};
  const bool planes_of_xy = ft.nx == ft.ny;
  const std::int64_t depth = planes_of_xy ? ft.nz : ft.nx;
  const auto log2 = [](int power) { return std::countr_zero(static_cast<unsigned>(power)); };
  const int lines = lines_together(depth, tiles);
  const int columns = columns_together(ft.ny, tiles) / planes;
  const int line_columns = std::min(columns, lines);
  return {.depth = static_cast<int>(depth),
          .side = static_cast<int>(ft.ny),
          .columns = static_cast<int>(ft.ny),
          .log2_planes = log2(planes),
          .log2_columns = log2(columns),
          .log2_line_columns = log2(line_columns),
          .log2_line_rows = log2(lines / line_columns),
          .along_depth = planes_of_xy ? z : x,
          .along_row = y,
          .along_column = planes_of_xy ? x : z};
}

}  // namespace bankfull::npb::ft::cuda
