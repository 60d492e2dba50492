#include "bankfull/workloads/npb/cg/cuda/tiling.hpp"

#include "bankfull/workloads/npb/cg/cuda/slots.hpp"

#include <algorithm>

namespace bankfull::npb::cg::cuda {
namespace {

constexpr std::int64_t word = 8;

/// A product in more parts than these costs too much memory traffic; rows then go through all
/// panels in one block.
constexpr std::int64_t max_parts = 12;

/// The share of a multiprocessor's shared memory for a panel where each block has one tile: the
/// rest serves as L1, which holds the entries being loaded.
constexpr double share_of_panel = 0.7;

/// Rows per tile; 16 bits number them, and a block sorts them in shared memory.
constexpr std::int64_t max_group_rows = 16384;

/// The share of a block's shared memory for sums of rows, where a block goes through all panels.
constexpr double share_of_sums = 0.45;

/// So many slices keep all warps of a block busy with about as much work each.
constexpr int wanted_slices = 6 * solver_warps;

/// The share of the last-level cache for the kept part of a matrix that does not fit whole, because
/// the rest streams through it.
constexpr double part_share = 0.35;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t fewest_panels(std::int64_t columns, std::int64_t bytes) {
  return divided_up(columns, bytes / word / 2 * 2);
}

/// At least `fewest`, with one tile per block: the smallest of the numbers that leave the fewest
/// multiprocessors idle. 0: too many rows.
std::int64_t panels_of_one_tile(std::int64_t rows, int multiprocessors, std::int64_t fewest) {
  std::int64_t best = 0;
  std::int64_t max_tiles = 0;
  const std::int64_t most = std::min<std::int64_t>(max_parts, multiprocessors);
  for (std::int64_t panels = fewest; panels <= most; ++panels) {
    const std::int64_t groups = multiprocessors / panels;
    if (groups * panels > max_tiles && divided_up(rows, groups) <= max_group_rows) {
      best = panels;
      max_tiles = groups * panels;
    }
  }
  return best;
}

void set_panels(Tiling& tiling, std::int64_t panels) {
  tiling.panels = static_cast<int>(panels);
  tiling.panel_columns = static_cast<int>(divided_up(divided_up(tiling.columns, panels), 2) * 2);
}

void set_groups(Tiling& tiling, std::int64_t groups) {
  tiling.group_rows = static_cast<int>(divided_up(tiling.rows, groups));
  tiling.groups = static_cast<int>(divided_up(tiling.rows, tiling.group_rows));
}

/// Threads share pieces until there are slices enough for all warps to have about as much work;
/// where that is more than there are rows for, each warp gets one slice.
int row_lanes_of(Tiling tiling) {
  const auto slices = [&](int lanes) {
    tiling.row_lanes = lanes;
    return tiling.tile_slices();
  };
  int lanes = 1;
  if (slices(warp_threads) >= wanted_slices) {
    while (slices(lanes) < wanted_slices) {
      lanes *= 2;
    }
  } else {
    while (lanes < warp_threads && slices(2 * lanes) <= solver_warps) {
      lanes *= 2;
    }
  }
  return lanes;
}

Tiling whole_rows_per_block(std::int64_t rows, std::int64_t columns, int multiprocessors,
                            std::int64_t shared_bytes) {
  Tiling tiling{.rows = rows, .columns = columns, .one_tile_per_block = false};
  const auto max_rows =
      static_cast<std::int64_t>(share_of_sums * static_cast<double>(shared_bytes)) / word;
  const std::int64_t rounds = divided_up(rows, max_rows * multiprocessors);
  set_groups(tiling, rounds * multiprocessors);
  tiling.blocks = std::min(tiling.groups, multiprocessors);
  set_panels(tiling, fewest_panels(columns, shared_bytes - tiling.group_rows * word));
  return tiling;
}

/// Entries for which there is room between slices (see SlotLayout): half a batch each, or what
/// short slices leave of one; where slices that do not fit in the rest of a block begin in the next
/// one, half a slice of each block. At the end of each tile half a block. Of random lengths,
/// simulated, it was never more than half.
std::int64_t between_slices(const Tiling& tiling, std::int64_t entries) {
  const std::int64_t ends = tiling.tiles() * warp_threads * block_slots<double> / 2;
  if (tiling.one_tile_per_block) {
    const std::int64_t batches = tiling.slices() * warp_threads * batch_slots;
    return ends + std::max(batches - entries, batches * (batch_slots - 1) / (2 * batch_slots));
  }
  const std::int64_t slots = entries / (warp_threads * tiling.slices()) + 1;
  const std::int64_t spare = std::max<std::int64_t>(2 * block_slots<double> - slots, 1);
  return ends + std::min(entries * slots / spare, entries / 2);
}

}  // namespace

Tiling tiling_for(std::int64_t rows, std::int64_t columns, int multiprocessors,
                  std::int64_t shared_bytes) {
  const auto wanted_bytes =
      static_cast<std::int64_t>(share_of_panel * static_cast<double>(shared_bytes));
  for (const std::int64_t bytes : {wanted_bytes, shared_bytes}) {
    const std::int64_t panels =
        panels_of_one_tile(rows, multiprocessors, fewest_panels(columns, bytes));
    if (panels > 0) {
      Tiling tiling{.rows = rows, .columns = columns};
      set_panels(tiling, panels);
      set_groups(tiling, multiprocessors / panels);
      tiling.blocks = static_cast<int>(tiling.tiles());
      tiling.row_lanes = row_lanes_of(tiling);
      return tiling;
    }
  }
  return whole_rows_per_block(rows, columns, multiprocessors, shared_bytes);
}

std::int64_t tile_bytes(const Tiling& tiling, std::int64_t nonzeros) {
  const std::int64_t pieces = tiling.rows * tiling.panels;
  const std::int64_t entries = nonzeros + nonzeros / 100 + pieces * (tiling.row_lanes - 1) / 2;
  // Both halves have as much memory, though one may have an item more.
  const std::int64_t items = tiling.items();
  const std::int64_t of_halves =
      2 * (items - tiling.first_half_items()) * (entries + between_slices(tiling, entries)) / items;
  // The set-up surveys pairs of blocks, with a number of 4 bytes for each.
  const std::int64_t survey = 10 * of_halves / half_block_bytes * 4;
  return 10 * of_halves + survey + 8 * half_block_bytes + 8 * tiling.slices() +
         2 * tiling.tiles() * tiling.tile_rows();
}

std::int64_t assembly_bytes(const Tiling& tiling, std::int64_t vectors, std::int64_t stride) {
  const std::int64_t pieces = tiling.rows * tiling.panels;
  const std::int64_t members = tiling.rows * stride;
  return 12 * vectors * stride + 4 * members + 12 * tiling.rows + 2 * pieces + 12 * tiling.slices();
}

int kept_warps(std::int64_t matrix_bytes, std::int64_t cache_bytes) {
  const auto matrix = static_cast<double>(matrix_bytes);
  const auto cache = static_cast<double>(cache_bytes);
  return matrix < whole_share * cache
             ? solver_warps
             : std::min(solver_warps, static_cast<int>(part_share * cache / matrix * solver_warps));
}

}  // namespace bankfull::npb::cg::cuda
