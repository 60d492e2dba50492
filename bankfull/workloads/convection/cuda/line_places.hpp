#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/metrics.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::convection {

/// Lines that a block solves at the same time, a warp each: so many values lie in 64 bytes.
template <class Real>
inline constexpr int lines_per_block = 64 / static_cast<int>(sizeof(Real));

/// The axis along which the lines of a block follow each other.
BANKFULL_HOST_DEVICE constexpr int axis_across(int axis) { return axis == 2 ? 1 : 2; }

/// Where a block's lines lie: element n of line l at `first + n * along + l * across`.
struct LinePlaces {
  std::int64_t first;
  std::int64_t along;
  std::int64_t across;
  int count;  ///< elements of a line
  int lines;  ///< that there are for this block; may be none

  /// The lines of block x, with up to `block` lines per block, in line y of blocks, of field z.
  BANKFULL_HOST_DEVICE static LinePlaces of(const FlowStrides& strides,
                                            const std::int64_t (&cells)[3], int axis, int block,
                                            unsigned x, unsigned y, unsigned z) {
    const std::int64_t pitch[3] = {strides.plane, strides.row, 1};
    const int side = axis_across(axis);
    const std::int64_t begin = std::int64_t{x} * block;
    const std::int64_t left = cells[side] - begin;
    return {z * strides.field + begin * pitch[side] + y * pitch[3 - axis - side], pitch[axis],
            pitch[side], static_cast<int>(cells[axis]),
            static_cast<int>(left < block ? left : block)};
  }
};

/// Where they lie in shared memory. Lines across rows side by side, as in memory, with one place
/// between the elements of the last and the first, so that the step along them is odd; lines along
/// rows one behind the other.
struct SharedLines {
  int step;    ///< from an element of a line to the next
  int across;  ///< from line to line

  BANKFULL_HOST_DEVICE static SharedLines of(bool along_rows, int block, int count) {
    return along_rows ? SharedLines{1, count} : SharedLines{block + 1, 1};
  }

  /// Elements of lines and of three lists of factors.
  template <class Real>
  static constexpr std::size_t elements(std::int64_t count) {
    return static_cast<std::size_t>(count) * (lines_per_block<Real> + 1 + 3);
  }
};

}  // namespace bankfull::convection
