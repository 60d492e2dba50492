#pragma once

#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/workloads/npb/cg/blocks.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::cg {

/// How a rank gathers the elements of a vector that its block needs. The exchanged vector has the
/// block's inputs, as `Block` numbers them, and then the rank's own piece.
struct GatherPlan {
  std::int64_t size = 0;
  std::int64_t piece_begin = 0;  ///< even
  Range own;                     ///< elements of the own piece that the own block needs
  std::int64_t own_begin = 0;    ///< where they go
  std::vector<ListNeighbour> neighbours;
};

/// A rank's sums for some elements of a piece.
struct Contribution {
  Range elements;
  std::int64_t begin = 0;  ///< where they stand
};

/// How a rank's sums get to the owners of pieces. The exchanged vector has the block's outputs, as
/// `Block` numbers them, and then the sums of other ranks for the own piece.
struct ReducePlan {
  std::int64_t size = 0;
  std::vector<Contribution> contributions;  ///< to the own piece, in the order of ranks
  std::vector<ListNeighbour> neighbours;
};

GatherPlan plan_gather(std::int64_t rows, Kept kept, int rank, int ranks);
ReducePlan plan_reduce(std::int64_t rows, Kept kept, int rank, int ranks);

}  // namespace bankfull::npb::cg
