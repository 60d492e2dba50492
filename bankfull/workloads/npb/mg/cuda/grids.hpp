#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/field/layout.hpp"

#include <cstdint>

namespace bankfull::npb::mg::cuda {

// Where the points of grids lie in memory, for kernels. Axes 3, 2, 1 are planes, rows and columns;
// coordinates count from a rank's first point. Sides are powers of two, so that coordinates wrap
// around by a mask.

/// A whole grid on one GPU: dense and periodic.
struct Cube {
  int side;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int planes() const { return side; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int rows() const { return side; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int columns() const { return side; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int row_pitch() const { return side; }

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t plane(int i3) const {
    const int points = side * side;
    return std::int64_t{i3 & (side - 1)} * points;
  }
  /// In a plane.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int row(int i2) const {
    return (i2 & (side - 1)) * side;
  }
  /// In a row.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int column(int i1) const { return i1 & (side - 1); }
};

/// One axis of a block.
struct BlockAxis {
  int points = 0;  ///< of the rank
  int first = 0;   ///< where the rank's first lies
  int mask = -1;   ///< that wraps around; all ones pass on to ghosts

  /// Where a point lies, or one of the `ghosts` beyond an end.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int at(int i, int ghosts) const {
    expects(i >= -ghosts && i < points + ghosts, "the point is the block's or near it");
    return (first + i) & mask;
  }
};

/// A rank's block of a grid and what lies around it.
struct Block {
  /// Points beyond the ends of a block that kernels read.
  static constexpr int ghosts = 2;

  BlockAxis axis_3;
  BlockAxis axis_2;
  BlockAxis axis_1;
  int pitch_of_rows = 0;
  std::int64_t pitch_of_planes = 0;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int planes() const { return axis_3.points; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int rows() const { return axis_2.points; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int columns() const { return axis_1.points; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int row_pitch() const { return pitch_of_rows; }

  /// Beyond the ghosts the last plane, because marches also load planes that they do not use.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t plane(int i3) const {
    const int last = axis_3.points + ghosts - 1;
    return axis_3.at(i3 < last ? i3 : last, ghosts) * pitch_of_planes;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int row(int i2) const {
    return axis_2.at(i2, ghosts) * pitch_of_rows;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int column(int i1) const {
    return axis_1.at(i1, ghosts);
  }
};

/// A grid that a kernel goes through and the next coarser one, of the same rank.
template <class GridType>
struct GridPair {
  GridType fine;
  GridType coarse;
};

/// The block of a field with ghosts along the axes that `cuts` cuts; values count from its
/// interior.
Block block_with_ghosts(const Layout& layout, const RankGrid& cuts);

/// A block alone, densely; it has nothing around it.
Block packed_block(const Extents& points);

/// The block `box` of a whole grid, which lies around it.
Block block_of_cube(int side, const Box& box);

/// Blocks of all ranks, each packed, one after the other in the order of ranks: where a point of
/// the whole grid lies.
struct Pieces {
  Extents block;
  RankGrid cuts;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t at(std::int64_t i3, std::int64_t i2,
                                                               std::int64_t i1) const {
    const std::int64_t rank = (i3 / block.ni * cuts.j + i2 / block.nj) * cuts.k + i1 / block.nk;
    const std::int64_t row = (rank * block.ni + i3 % block.ni) * block.nj + i2 % block.nj;
    return row * block.nk + i1 % block.nk;
  }

  /// Whether they are the whole grid as they lie there.
  [[nodiscard]] constexpr bool are_whole() const { return cuts.j == 1 && cuts.k == 1; }
};

}  // namespace bankfull::npb::mg::cuda
