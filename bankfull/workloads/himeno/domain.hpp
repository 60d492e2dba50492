#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>
#include <vector>

namespace bankfull {
class Communicator;
}

namespace bankfull::himeno {

/// The part of a grid that one rank sweeps.
struct Domain {
  GridSize grid;                ///< the whole, with its boundary
  Decomposition decomposition;  ///< of the updated points
  int rank = 0;
  int ghosts = 1;  ///< layers of other ranks' points around the block

  /// The rank's points in the numbering of the whole grid, whose first updated point is (0, 0, 0).
  [[nodiscard]] Box block() const { return decomposition.block(rank); }
  [[nodiscard]] Extents interior() const { return block().extents(); }

  /// The rank's points, in its own numbering, with `layers` more where another rank has the
  /// neighbours: all points there are updated by some rank.
  [[nodiscard]] Box updated(std::int64_t layers) const;

  /// A box of the rank's own numbering in that of the whole grid.
  [[nodiscard]] Box in_whole_grid(const Box& own) const;
};

/// The whole grid on one rank.
Domain whole_domain(const GridSize& grid);

/// What cuts of a problem must respect where it names none itself.
DecompositionRules decomposition_rules(const Problem& problem, int ranks);

/// How a problem is cut for these ranks: as it specifies, or with the least communication. Throws
/// UsageError if that is impossible.
Decomposition decompose(const Problem& problem, int ranks);

/// Whether one of its schedules does several iterations in a pass.
bool fuses(const Problem& problem);

/// How many of them the CPU's does on one rank, or with blocks that allow `most`.
int fused_sweeps_on_cpu(const Problem& problem, const Decomposition& decomposition, int most);

/// Layers of ghosts that the schedules of a problem need, the same on all ranks.
int ghost_layers(const Problem& problem, const Decomposition& decomposition);

/// The halo of a pass of as many iterations as there are layers: the 19 points of one iteration
/// reach edges, those of several corners too.
HaloShape halo_shape(int layers);

/// Collective: the field of the whole grid, boundary included, on every rank, from what each has of
/// it: its points, and the boundary next to them, k fastest.
std::vector<double> assemble(const Communicator& ranks, const Domain& domain,
                             const std::vector<double>& own);

/// The points of a rank that `assemble` needs, in the rank's own numbering.
Box owned_box(const Domain& domain);

}  // namespace bankfull::himeno
