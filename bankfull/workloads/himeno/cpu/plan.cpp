#include "bankfull/workloads/himeno/cpu/plan.hpp"

#include "bankfull/core/machine/cpu.hpp"

#include <algorithm>

namespace bankfull::himeno {
namespace {

/// A thread that is done takes rows from others, but no part of a strip that is begun. Fitted on
/// sixteen Xeon cores, where 8 x 2 blocks were faster than 4 x 4, which have half as many strips in
/// a block and less halo, with strips of 8 rows and of 4.
constexpr std::int64_t strips_waited_for = 2;

/// The largest of the parts of a count, with the halo of so many layers that neighbours have too.
std::int64_t largest_part(std::int64_t count, int parts, int layers) {
  const std::int64_t own = (count + parts - 1) / parts;
  return std::min(count, own + std::int64_t{std::min(parts - 1, 2)} * layers);
}

/// Rows that the busiest thread sweeps in one pass, the halo rows that its neighbours sweep as well
/// included; and those of the strips of so many rows that others are at when it is done.
double busiest_rows(const Extents& n, const TeamGrid& grid, int sweeps,
                    std::int64_t strip_rows = 0) {
  std::int64_t total = 0;
  for (int layers = 0; layers < sweeps; ++layers) {
    const std::int64_t rows = largest_part(n.nj, grid.j, layers);
    total += largest_part(n.ni, grid.i, layers) *
             (rows + strips_waited_for * std::min(strip_rows, rows));
  }
  return static_cast<double>(total);
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
constexpr std::int64_t min_rows_in_l2 = 4;

/// Cost of one iteration of a cell relative to a sweep from cache. Fitted to measurements: a sweep
/// from memory costs 1.5 on Zen 3, and 2.25 on sixteen Xeon cores with strips in L2, of two to four
/// sweeps in either precision; and on Zen 3 every run through a strip's plane costs as much as 2
/// KiB more would, until the prefetchers catch up.
double fused_cost(int sweeps, std::int64_t strip_rows, std::int64_t row_bytes, bool in_l2,
                  double halo_factor) {
  const double from_memory = in_l2 ? 2.25 : 1.5;
  constexpr double start_bytes = 2048.0;
  const double start =
      sweeps == 1 ? 1.0 : 1.0 + start_bytes / static_cast<double>(strip_rows * row_bytes);
  return (from_memory + sweeps - 1) / sweeps * start * halo_factor;
}

struct Candidate {
  FusedPassPlan plan;
  double cost = 0.0;
};

Candidate candidate(int sweeps, const Layout& layout, std::size_t element_bytes, int threads,
                    const CacheShare& share) {
  const Extents n = layout.interior();
  const std::int64_t row_bytes = layout.row_pitch() * static_cast<std::int64_t>(element_bytes);
  const std::int64_t in_l2 = rows_in_l2(sweeps, row_bytes, share);
  const bool row_by_row = sweeps <= max_sweeps_in_l2 && in_l2 >= min_rows_in_l2;
  const std::int64_t fit =
      row_by_row ? in_l2 : strip_budget(share) / (row_bytes * cached_rows(sweeps));
  // Not measured with strips in L3, which are so high that whole planes would always win.
  const TeamGrid grid = split_team(n, threads, sweeps, row_by_row ? fit : 0);
  const std::int64_t rows_of_block = (n.nj + grid.j - 1) / grid.j + std::int64_t{2} * (sweeps - 1);
  const std::int64_t strip_rows = std::max<std::int64_t>(2, std::min(fit, rows_of_block));
  const double evenly =
      static_cast<double>(sweeps) * static_cast<double>(n.ni * n.nj) / static_cast<double>(threads);
  return {
      .plan = {.sweeps = sweeps, .strip_rows = strip_rows, .row_by_row = row_by_row, .grid = grid},
      .cost = fused_cost(sweeps, strip_rows, row_bytes, row_by_row,
                         busiest_rows(n, grid, sweeps) / evenly)};
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

TeamGrid split_team(const Extents& interior, int threads, int sweeps, std::int64_t strip_rows) {
  TeamGrid best;
  double fewest = busiest_rows(interior, best, sweeps, strip_rows);
  for (int i = 1; i <= threads && i <= interior.ni; ++i) {
    const TeamGrid grid{i, static_cast<int>(std::min<std::int64_t>(threads / i, interior.nj))};
    const double rows = busiest_rows(interior, grid, sweeps, strip_rows);
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
    if (!next.plan.row_by_row && next.plan.strip_rows < std::int64_t{2} * sweeps) {
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
  // With thicker ghosts other ranks may have the cells on both sides.
  const std::int64_t ni = layout.interior().ni;
  const int layers = plan.sweeps - 1;
  const std::int64_t planes = layout.ghosts() > 1
                                  ? largest_part(ni, plan.grid.i, 0) + std::int64_t{2} * layers
                                  : largest_part(ni, plan.grid.i, layers);
  const std::int64_t kept = 2 * planes * rows_kept;  // of two strips
  const std::int64_t rings = planes_in_ring * plan.strip_rows;
  return std::int64_t{plan.threads()} * (plan.sweeps - 1) * (kept + rings) * row_bytes;
}

}  // namespace bankfull::himeno
