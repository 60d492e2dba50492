#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/workloads/himeno/cpu/rows.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::himeno {

/// Bytes of cache available to one thread of the team.
struct CacheShare {
  std::int64_t l2 = std::int64_t{512} << 10;  ///< of its core
  std::int64_t l3 = std::int64_t{4} << 20;    ///< divided by the threads of the team that share it
};

/// The share of this machine's caches for a team of `threads`.
CacheShare cache_share(int threads);

/// The planes and rows that one thread sweeps.
struct Block {
  Range planes;
  Range rows;
};

/// The team splits the planes into `i` and the rows of every plane into `j` parts.
struct TeamGrid {
  int i = 1;
  int j = 1;

  [[nodiscard]] int threads() const { return i * j; }
  [[nodiscard]] Block block(const Extents& interior, int thread) const;
};

/// The split of at most `threads` threads that leaves the busiest one the fewest rows. For fused
/// sweeps with strips of so many rows, the halo counts, and what the last of a pass waits for.
TeamGrid split_team(const Extents& interior, int threads, int sweeps = 1,
                    std::int64_t strip_rows = 0);

/// How a single sweep goes through the block of a thread: tile of rows by tile of rows, in steps of
/// a plane of a tile.
struct TilePlan {
  std::int64_t rows = 1;           ///< of a tile
  std::int64_t steps_at_once = 1;  ///< that a thread claims
};

/// For blocks with so many rows in a plane, of so many bytes in each field, and so many bytes of
/// L2.
TilePlan plan_tiles(std::int64_t rows, std::int64_t row_bytes, std::int64_t l2);

/// How a fused pass runs.
struct FusedPassPlan {
  int sweeps = 1;               ///< iterations in one pass over the coefficients
  std::int64_t strip_rows = 2;  ///< rows of a plane that are swept before the next plane
  bool row_by_row = false;      ///< sweeps follow each other after a row, not after a plane
  TeamGrid grid;                ///< of blocks, one for each thread
  RowAccess access{.store = StoreKind::streaming, .prefetch = true};

  [[nodiscard]] int threads() const { return grid.threads(); }
};

inline constexpr int max_fused_sweeps = 8;

/// Chooses the number of sweeps and the height of the strips such that what a strip keeps from step
/// to step stays in cache.
FusedPassPlan plan_fused(const Layout& layout, std::size_t element_bytes, int threads,
                         const CacheShare& share, int max_sweeps = max_fused_sweeps);

/// The plan with exactly so many sweeps, at least two: ranks must agree on them.
FusedPassPlan plan_fused_with(int sweeps, const Layout& layout, std::size_t element_bytes,
                              int threads, const CacheShare& share);

/// The plan for this machine of a rank with so many layers of ghosts: several ranks do as many
/// sweeps.
FusedPassPlan plan_fused_here(int ghosts, const Layout& layout, std::size_t element_bytes,
                              int threads);

/// What a pass keeps between its sweeps, beside the fields.
std::int64_t bytes_between_sweeps(const FusedPassPlan& plan, const Layout& layout,
                                  std::size_t element_bytes);

}  // namespace bankfull::himeno
