#pragma once

#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/himeno/initial.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::himeno {

// The reference on parts of a grid that is too large for a serial sweep over all of it: after n
// iterations a block depends on the initial state of the block and n layers around it, and the
// state is a function of the index.

/// The pressures of the updated points of `block`, k fastest, after `iterations` from `state`, in
/// this precision with `residual` and `relaxed` as they stand, hence bit for bit what a schedule
/// must give. Blocks are in the numbering of the whole grid. Coefficients and pressures
/// are computed from the index and kept in arrays of the block's own: none of the layouts, halos
/// and cuts of the solvers are used.
std::vector<double> reference_block(Precision precision, const GridSize& grid,
                                    const InitialState& state, const Box& block, int iterations);

/// Blocks of a rank's points, in its own numbering: all points where they are about a million at
/// most, else, along each axis, the first plane, the last and two between. A plane across one axis
/// crosses every seam between tiles, strips and threads along the other two. If there are more than
/// a thousand blocks, a thousand at equal distances are taken.
std::vector<Box> sampled_blocks(const Extents& points);

/// Cells that a thread holds of a block with so many layers around it, at most.
constexpr std::int64_t max_block_cells(std::int64_t layers) {
  return (8 + 2 * layers) * (32 + 2 * layers) * (128 + 2 * layers);
}

/// Points of all blocks together.
std::int64_t points_of(const std::vector<Box>& blocks);

}  // namespace bankfull::himeno
