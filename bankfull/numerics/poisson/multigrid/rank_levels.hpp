#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::poisson::multigrid {

// The levels of a domain that ranks share, cut along i and j. What a rank has of a level is a
// window: its own cells and, beside them where the axis is cut, those of neighbours: the halo. A
// pipeline of stages (see stage_pipeline.hpp) runs on the window without a message; each of its
// stages ends one cell before the last one where the window's end is no end of the level. Halos are
// so wide that own cells, and what is restricted from them, are done by all stages, and are
// exchanged between pipelines. So own cells have the bits that one rank would give them.

/// What a rank has along an axis, in the level's cells. Begins with an even one, so that the
/// colours of cells, and the pairs that have one parent, are those of the level.
struct Window {
  std::int64_t begin = 0;  ///< below 0 beyond a periodic end
  std::int64_t end = 0;
  Range own;  ///< counted from the window's begin

  // In the level's numbers.
  [[nodiscard]] Range block() const { return {begin + own.begin, begin + own.end}; }
  [[nodiscard]] Range whole() const { return {begin, end}; }
};

/// The cell that is the n-th of a periodic axis, n being beyond an end.
constexpr std::int64_t wrapped(std::int64_t n, std::int64_t cells) {
  return (n % cells + cells) % cells;
}

struct RankLevel {
  Level level;        ///< of the window's cells
  Decomposition cut;  ///< of the whole level
  Window i;
  Window j;
  int halo = 0;  ///< its width
};

/// A rank's part of all levels.
struct RankLevels {
  /// Those that are shared, and the first one that is gathered, of which this rank forms r and gets
  /// e. On one rank all levels, none of which is gathered.
  std::vector<RankLevel> shared;

  /// Whole: from the gathered one on. CPUs leave them to the root.
  std::vector<Level> gathered;

  /// Whether the finest level is gathered: there is nothing to share.
  [[nodiscard]] bool shares_nothing() const { return shared.size() == 1 && !gathered.empty(); }
};

/// Throws UsageError unless the grid is one of as many ranks as there are, and cuts neither k nor
/// lines.
void require_sharing(const Domain& domain, const Sharing& sharing);

/// Cells beside the own ones that a CPU's pipelines need on each of these levels.
std::vector<int> halo_widths(const std::vector<Level>& levels);

/// A rank's part of one level, but for how its windows lie in those of the next.
RankLevel rank_level(const Level& level, const Decomposition& cut, int rank, int halo);

std::vector<Level> levels_of(const std::vector<RankLevel>& levels);

/// A level is shared where the blocks of all ranks are as thick as its halo, where it has
/// `min_cells` per rank, and where no cut axis goes around an odd number of cells: two cells of one
/// colour are neighbours there, and relaxed in an order of their own. The coarsest one is not.
///
/// `cut`: of the finest level, along i and j only; not along lines.
/// `halos`: their widths, one per level.
RankLevels rank_levels(const std::vector<Level>& levels, const Decomposition& cut, int rank,
                       std::int64_t min_cells, const std::vector<int>& halos);

}  // namespace bankfull::poisson::multigrid
