#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/list_exchange.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

/// One axis of a rank's grid.
struct Axis {
  std::int64_t local = 0;
  std::int64_t begin = 0;  ///< of the rank, in the numbering of the whole grid
  std::int64_t global = 0;

  /// Neighbours, the point itself included, that a point has along this axis.
  [[nodiscard]] BANKFULL_HOST_DEVICE int neighbours(std::int64_t at) const {
    return 1 + (begin + at > 0 ? 1 : 0) + (begin + at + 1 < global ? 1 : 0);
  }

  /// The neighbours of all points together.
  [[nodiscard]] std::int64_t all_neighbours() const {
    return 3 * local - (begin == 0 ? 1 : 0) - (begin + local == global ? 1 : 0);
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE bool inside(std::int64_t at) const {
    return begin + at >= 0 && begin + at < global;
  }

  /// -1, 0, 1: where the rank is that owns a neighbouring point.
  [[nodiscard]] BANKFULL_HOST_DEVICE int side(std::int64_t at) const {
    return at < 0 ? -1 : at >= local ? 1 : 0;
  }

  /// Points of the layer on that side; all of them for 0.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t thickness(int side) const {
    return side == 0 ? local : 1;
  }

  /// The first point of the layer on that side.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t first(int side) const {
    return side < 0 ? -1 : side > 0 ? local : 0;
  }
};

/// A point in a rank's own numbering; -1 and `local` are the neighbours'.
struct Point {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
};

/// A rank's grid at one level and the numbering of its columns; plain data for kernels.
///
/// Rows are numbered with x fastest. Columns of other ranks follow the rows: neighbour after
/// neighbour in the order of their numbers, and of each its points in their order.
struct LocalGrid {
  Axis x;
  Axis y;
  Axis z;
  std::array<std::int64_t, 27> outer_begin = {};  ///< first column of the neighbour on each side

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t rows() const {
    return x.local * y.local * z.local;
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t global_row(std::int64_t row) const {
    return global_row(point_of_row(row));
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t global_row(const Point& at) const {
    return ((z.begin + at.z) * y.global + y.begin + at.y) * x.global + x.begin + at.x;
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE Point point_of_row(std::int64_t row) const {
    const std::int64_t plane = x.local * y.local;
    return {row % x.local, row % plane / x.local, row / plane};
  }

  /// Entries of a row of the matrix.
  [[nodiscard]] BANKFULL_HOST_DEVICE int entries(std::int64_t row) const {
    const Point at = point_of_row(row);
    return x.neighbours(at.x) * y.neighbours(at.y) * z.neighbours(at.z);
  }

  /// Of all rows.
  [[nodiscard]] std::int64_t all_entries() const {
    return x.all_neighbours() * y.all_neighbours() * z.all_neighbours();
  }

  static BANKFULL_HOST_DEVICE int side_number(int sx, int sy, int sz) {
    return (sz + 1) * 9 + (sy + 1) * 3 + sx + 1;
  }

  /// Column of a point that is at most one beyond the rank's own.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t column(std::int64_t at_x, std::int64_t at_y,
                                                         std::int64_t at_z) const {
    const int sx = x.side(at_x);
    const int sy = y.side(at_y);
    const int sz = z.side(at_z);
    if (sx == 0 && sy == 0 && sz == 0) {
      return (at_z * y.local + at_y) * x.local + at_x;
    }
    const std::int64_t in_x = sx == 0 ? at_x : 0;
    const std::int64_t in_y = sy == 0 ? at_y : 0;
    const std::int64_t in_z = sz == 0 ? at_z : 0;
    return outer_begin[static_cast<std::size_t>(side_number(sx, sy, sz))] +
           (in_z * y.thickness(sy) + in_y) * x.thickness(sx) + in_x;
  }

  /// The point of a column, as `column` numbers them; nowhere near the rank where there is none.
  [[nodiscard]] BANKFULL_HOST_DEVICE Point point_of_column(std::int64_t column) const {
    if (column < rows()) {
      return point_of_row(column);
    }
    for (int side = 0; side < 27; ++side) {
      const int sx = side % 3 - 1;
      const int sy = side / 3 % 3 - 1;
      const int sz = side / 9 - 1;
      const std::int64_t begin = outer_begin[static_cast<std::size_t>(side)];
      const std::int64_t width = x.thickness(sx);
      const std::int64_t plane = width * y.thickness(sy);
      const std::int64_t n = column - begin;
      // Without a neighbour there `begin` is 0.
      if (begin >= rows() && n >= 0 && n < plane * z.thickness(sz)) {
        return {x.first(sx) + n % width, y.first(sy) + n % plane / width, z.first(sz) + n / plane};
      }
    }
    return {-3, -3, -3};
  }
};

/// A rank's grid and what it exchanges with its neighbours.
struct Geometry {
  LocalGrid grid;
  std::int64_t columns = 0;  ///< rows and columns of other ranks
  std::vector<ListNeighbour> neighbours;
};

/// The geometry of a rank. The decomposition has i = z, j = y, k = x.
Geometry make_geometry(const Decomposition& decomposition, int rank);

}  // namespace bankfull::hpcg
