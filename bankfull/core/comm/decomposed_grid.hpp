#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/core/field/layout.hpp"

#include <cstddef>
#include <optional>

namespace bankfull {

/// How ranks share a grid.
struct GridOptions {
  Periodicity periodic = {};               ///< by default no axis is
  HaloShape halo = {};                     ///< its width is that of the ghost cells, on all sides
  std::optional<RankGrid> rank_grid = {};  ///< else the one with the least communication
  /// Maximum number of ranks along each axis where that is chosen; 1: do not cut it.
  RankGrid max_grid = DecompositionRules{}.max_grid;
};

/// A grid of cells that ranks share, as this rank sees it: its block, and ghost cells around it.
/// Indices (i, j, k) are local, 0 is the block's first cell, k is contiguous in memory; `block`
/// says where that is in the whole grid.
class DecomposedGrid {
 public:
  /// Throws UsageError, the same on all ranks, if the grid has no cells, the halo no width, or if
  /// the grid cannot be divided so that each block is as thick as the halo. `ranks` must outlive
  /// it. Not collective, but the same everywhere.
  DecomposedGrid(const Communicator& ranks, const Extents& cells, const GridOptions& options = {});

  /// Those that the grid was made with; not owned.
  [[nodiscard]] const Communicator& ranks() const { return *ranks_; }
  /// Of the whole grid into blocks, the same on all ranks.
  [[nodiscard]] const Decomposition& decomposition() const { return decomposition_; }
  /// Of the options; its width is that of the ghost cells on all sides.
  [[nodiscard]] const HaloShape& halo() const { return halo_; }

  /// This rank's cells in indices of the whole grid.
  [[nodiscard]] const Box& block() const { return block_; }

  /// This rank's cells in local indices: from 0.
  [[nodiscard]] Box interior() const { return box_of(block_.extents()); }
  /// These and the ghost cells around them, in edges and corners too, whatever the halo's reach.
  [[nodiscard]] Box with_ghosts() const { return grown(interior(), halo_.width); }

  /// Of this rank's fields.
  [[nodiscard]] Layout layout(std::size_t element_bytes) const {
    return {block_.extents(), halo_.width, element_bytes};
  }

 private:
  const Communicator* ranks_;
  HaloShape halo_;
  Decomposition decomposition_;
  Box block_;
};

}  // namespace bankfull
