#include "bankfull/workloads/himeno/cpu/plan.hpp"

#include "bankfull/core/machine/cpu.hpp"

#include <algorithm>

namespace bankfull::himeno {
namespace {

/// Rows that the busiest thread sweeps in one pass, the halo rows that its neighbours sweep as well
/// included.
double busiest_rows(const Extents& n, const TeamGrid& grid, int sweeps) {
  const std::int64_t max_planes = (n.ni + grid.i - 1) / grid.i;
  const std::int64_t max_rows = (n.nj + grid.j - 1) / grid.j;
  const auto planes = static_cast<double>(max_planes);
  const auto rows = static_cast<double>(max_rows);
  double total = 0.0;
  for (int reach = 0; reach < sweeps; ++reach) {
    total += std::min(static_cast<double>(n.ni), planes + (grid.i > 1 ? 2 * reach : 0)) *
             std::min(static_cast<double>(n.nj), rows + (grid.j > 1 ? 2 * reach : 0));
  }
  return total;
}

/// Rows of a strip's plane that must stay in cache from one step to the next: the coefficients of
/// every sweep and of the plane being fetched, the pressure, and three planes between two sweeps.
std::int64_t cached_rows(int sweeps) {
  return coefficient_count * (sweeps + 1) + 4 + 3 * (sweeps - 1);
}

/// Bytes of cache that a strip may fill. Using more of L3 measured slower: the coefficients
/// streaming through it evict the strip. Where L3 is small for each core, a strip in L2 is the
/// larger one.
std::int64_t strip_budget(const CacheShare& share) {
  constexpr std::int64_t most = std::int64_t{6} << 20;
  return std::max(share.l2 * 3 / 4, std::min(share.l3 * 2 / 5, most));
}

/// Rows of a strip in L2, or too few to be worth it. Only in L2s of 2 MiB: processors that have
/// them share a slower L3 among all their cores. On a Zen 5 with 1 MiB strips in L3 are faster.
std::int64_t rows_in_l2(int sweeps, std::int64_t row_bytes, const CacheShare& share) {
  constexpr std::int64_t large = std::int64_t{2} << 20;
  return share.l2 < large ? 0 : share.l2 * 3 / 5 / (row_bytes * cached_rows(sweeps));
}

/// With more sweeps, strips in L2 have too few rows; with fewer rows, those kept at their ends cost
/// more than another sweep saves.
constexpr int max_sweeps_in_l2 = 4;
constexpr std::int64_t min_rows_in_l2 = 8;

/// Cost of one iteration of a cell relative to a sweep from cache. Fitted to measurements on Zen 3:
/// a sweep from memory costs 1.5, and every run through a strip's plane costs as much as 2 KiB more
/// would, until the prefetchers catch up.
double fused_cost(int sweeps, std::int64_t strip_rows, std::int64_t row_bytes, double halo_factor) {
  constexpr double from_memory = 1.5;
  constexpr double start_bytes = 2048.0;
  const double start =
      sweeps == 1 ? 1.0 : 1.0 + start_bytes / static_cast<double>(strip_rows * row_bytes);
  return (from_memory + sweeps - 1) / sweeps * start * halo_factor;
}

/// With four threads a block gains nothing beyond noise; fewer were slower on a processor with 1
/// MiB of L2, and were not measured on others.
constexpr int min_threads_in_turn = 4;

struct Candidate {
  FusedPassPlan plan;
  double cost = 0.0;
};

/// What every candidate with the same number of sweeps has in common.
struct StripsInCache {
  Extents interior;
  std::int64_t row_bytes = 0;
  int sweeps = 0;
  bool row_by_row = false;  ///< in L2
  std::int64_t rows = 0;    ///< that fit

  /// With the halo of the sweeps.
  [[nodiscard]] std::int64_t rows_of_block(const TeamGrid& grid) const {
    return (interior.nj + grid.j - 1) / grid.j + std::int64_t{2} * (sweeps - 1);
  }
};

StripsInCache strips_in_cache(int sweeps, const Layout& layout, std::size_t element_bytes,
                              const CacheShare& share) {
  const std::int64_t row_bytes = layout.row_pitch() * static_cast<std::int64_t>(element_bytes);
  const std::int64_t in_l2 = rows_in_l2(sweeps, row_bytes, share);
  const bool row_by_row = sweeps <= max_sweeps_in_l2 && in_l2 >= min_rows_in_l2;
  return {.interior = layout.interior(),
          .row_bytes = row_bytes,
          .sweeps = sweeps,
          .row_by_row = row_by_row,
          .rows = row_by_row ? in_l2 : strip_budget(share) / (row_bytes * cached_rows(sweeps))};
}

/// Of a block that one thread has.
std::int64_t rows_of_strip(const StripsInCache& strips, const TeamGrid& grid) {
  return std::max<std::int64_t>(2, std::min(strips.rows, strips.rows_of_block(grid)));
}

/// Of a block whose threads take as many strips each. Strips may be an eighth higher than those of
/// one thread, which leave room for it, where the threads have one strip less then.
std::int64_t rows_of_strip_in_turn(const StripsInCache& strips, const TeamGrid& grid, int threads) {
  const std::int64_t rows = strips.rows_of_block(grid);
  const std::int64_t in_a_round = threads * (strips.rows + strips.rows / 8);
  const std::int64_t strip_count = (rows + in_a_round - 1) / in_a_round * threads;
  return (rows + strip_count - 1) / strip_count;
}

/// `threads` in blocks of `threads_per_block`. Those of a block begin a step after each other, and
/// end so: the last of them finds the others done.
Candidate candidate_in_blocks(const StripsInCache& strips, int threads, int threads_per_block) {
  const Extents n = strips.interior;
  const TeamGrid grid = split_team(n, threads / threads_per_block, strips.sweeps);
  const std::int64_t rows = threads_per_block == 1
                                ? rows_of_strip(strips, grid)
                                : rows_of_strip_in_turn(strips, grid, threads_per_block);
  const double evenly = static_cast<double>(strips.sweeps) * static_cast<double>(n.ni * n.nj) /
                        static_cast<double>(threads);
  const auto begun_before =
      static_cast<double>(std::int64_t{threads_per_block - 1} * strips.sweeps * rows);
  const double busiest = busiest_rows(n, grid, strips.sweeps) / threads_per_block + begun_before;
  return {.plan = {.sweeps = strips.sweeps,
                   .strip_rows = rows,
                   .row_by_row = strips.row_by_row,
                   .grid = grid,
                   .threads_per_block = threads_per_block},
          .cost = fused_cost(strips.sweeps, rows, strips.row_bytes, busiest / evenly)};
}

/// Blocks have several threads only where strips are in L2 and stay as high as they must be there:
/// strips in L3 are best as high as the threads' blocks allow.
Candidate candidate(int sweeps, const Layout& layout, std::size_t element_bytes, int threads,
                    const CacheShare& share) {
  const StripsInCache strips = strips_in_cache(sweeps, layout, element_bytes, share);
  Candidate best = candidate_in_blocks(strips, threads, 1);
  for (int in_block = min_threads_in_turn; strips.row_by_row && in_block <= threads; ++in_block) {
    const Candidate next = candidate_in_blocks(strips, threads, in_block);
    if (next.plan.strip_rows >= min_rows_in_l2 && next.cost < best.cost) {
      best = next;
    }
  }
  return best;
}

}  // namespace

CacheShare cache_share(int threads) {
  CacheShare share;
  for (const CacheLevel& cache : survey_cpu().data_caches) {
    if (cache.level == 2) {
      share.l2 = cache.bytes;
    } else if (cache.level == 3) {
      share.l3 = cache.bytes / std::min(cache.shared_by_cores, threads);
    }
  }
  return share;
}

Block TeamGrid::block(const Extents& interior, int thread) const {
  return {share(interior.ni, thread / j, i), share(interior.nj, thread % j, j)};
}

TeamGrid split_team(const Extents& interior, int threads, int sweeps) {
  TeamGrid best;
  double fewest = busiest_rows(interior, best, sweeps);
  for (int i = 1; i <= threads && i <= interior.ni; ++i) {
    const TeamGrid grid{i, static_cast<int>(std::min<std::int64_t>(threads / i, interior.nj))};
    const double rows = busiest_rows(interior, grid, sweeps);
    if (rows <= fewest) {  // among equals whole planes stay together
      best = grid;
      fewest = rows;
    }
  }
  return best;
}

TilePlan plan_tiles(std::int64_t rows, std::int64_t row_bytes, std::int64_t l2) {
  // The streams from memory begin anew with each plane: lower tiles lose by it what they gain.
  constexpr std::int64_t least_rows = 16;
  // Between two uses of a pressure a tile's rows of all fields that are read pass through the
  // cache.
  const std::int64_t fit = std::max(least_rows, l2 * 5 / 8 / (fields_read * row_bytes));
  const bool worthwhile = fit * fields_read * row_bytes <= l2;
  const std::int64_t tile_rows = worthwhile ? std::min(rows, fit) : rows;
  // So much that neither a claim counts nor the planes that helpers read again; little of a pass
  // that does not fit a cache.
  constexpr std::int64_t claimed_bytes = std::int64_t{2} << 20;
  const std::int64_t step_bytes = (fields_read + 1) * row_bytes * tile_rows;
  return {.rows = tile_rows, .steps_at_once = (claimed_bytes + step_bytes - 1) / step_bytes};
}

FusedPassPlan plan_fused(const Layout& layout, std::size_t element_bytes, int threads,
                         const CacheShare& share, int max_sweeps) {
  Candidate best = candidate(2, layout, element_bytes, threads, share);
  for (int sweeps = 3; sweeps <= max_sweeps; ++sweeps) {
    const Candidate next = candidate(sweeps, layout, element_bytes, threads, share);
    if (best.plan.row_by_row && !next.plan.row_by_row) {
      break;  // more sweeps would leave L2
    }
    // With fewer rows, those kept at the strips' ends cost more than another sweep saves.
    if (next.plan.strip_rows < std::int64_t{2} * sweeps) {
      break;
    }
    if (next.cost < best.cost) {
      best = next;
    }
  }
  return best.plan;
}

FusedPassPlan plan_fused_with(int sweeps, const Layout& layout, std::size_t element_bytes,
                              int threads, const CacheShare& share) {
  return candidate(sweeps, layout, element_bytes, threads, share).plan;
}

FusedPassPlan plan_fused_here(int ghosts, const Layout& layout, std::size_t element_bytes,
                              int threads) {
  const CacheShare share = cache_share(threads);
  return ghosts > 1 ? plan_fused_with(ghosts, layout, element_bytes, threads, share)
                    : plan_fused(layout, element_bytes, threads, share);
}

std::int64_t bytes_between_sweeps(const FusedPassPlan& plan, const Layout& layout,
                                  std::size_t element_bytes) {
  constexpr std::int64_t rows_kept = 2;
  constexpr std::int64_t planes_in_ring = 3;
  const std::int64_t row_bytes = layout.row_pitch() * static_cast<std::int64_t>(element_bytes);
  const std::int64_t planes = (layout.interior().ni + plan.grid.i - 1) / plan.grid.i +
                              (plan.grid.i > 1 ? 2 * (plan.sweeps - 1) : 0);
  const std::int64_t kept =
      (plan.threads_per_block + 1) * planes * (rows_kept * row_bytes + Layout::alignment_bytes);
  const std::int64_t rings = plan.threads_per_block * planes_in_ring * plan.strip_rows * row_bytes;
  return std::int64_t{plan.grid.threads()} * (plan.sweeps - 1) * (kept + rings);
}

}  // namespace bankfull::himeno
