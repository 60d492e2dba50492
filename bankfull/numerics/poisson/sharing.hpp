#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstdint>
#include <optional>

namespace bankfull::poisson {

/// The ranks that share a domain. Each has the block of it that Decomposition gives it: its solver
/// takes the right side of these cells, counted from the block's first one, and leaves the solution
/// of these and, along axes that are cut, of the cells before them. By default one process has all.
struct Sharing {
  const Communicator* ranks = nullptr;  ///< outlives the solver; null: this process alone
  RankGrid grid = {};                   ///< cut along i and j only

  /// A level of multigrid with fewer cells per rank is gathered; unset: as suits the device.
  std::optional<std::int64_t> min_cells = {};

  /// Whether there are several ranks.
  [[nodiscard]] bool is_shared() const { return ranks != nullptr && ranks->size() > 1; }
  /// The number of this rank; 0 for a process alone.
  [[nodiscard]] int rank() const { return ranks == nullptr ? 0 : ranks->rank(); }
};

/// How a domain is cut. An axis that is not cut closes on itself within each rank, and so counts as
/// ending there.
inline Decomposition cut_of(const Domain& domain, const RankGrid& grid) {
  return {domain.extents(),
          grid,
          {grid.i > 1 && domain.i.periodic, grid.j > 1 && domain.j.periodic, false}};
}

}  // namespace bankfull::poisson
