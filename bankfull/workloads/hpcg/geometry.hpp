#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/core/field/box.hpp"

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
    const std::int64_t plane = x.local * y.local;
    const std::int64_t at_z = row / plane;
    const std::int64_t at_y = row % plane / x.local;
    const std::int64_t at_x = row % x.local;
    return ((z.begin + at_z) * y.global + y.begin + at_y) * x.global + x.begin + at_x;
  }

  /// Entries of a row of the matrix.
  [[nodiscard]] BANKFULL_HOST_DEVICE int entries(std::int64_t row) const {
    const std::int64_t plane = x.local * y.local;
    return x.neighbours(row % x.local) * y.neighbours(row % plane / x.local) *
           z.neighbours(row / plane);
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
