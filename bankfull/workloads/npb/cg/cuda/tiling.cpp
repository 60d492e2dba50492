#include "bankfull/workloads/npb/cg/cuda/tiling.hpp"

#include <algorithm>

namespace bankfull::npb::cg::cuda {
namespace {

constexpr std::int64_t word = 8;

/// A product in more parts than these costs too much memory traffic; rows then go through all
/// panels in one block.
constexpr std::int64_t most_parts = 12;

/// Of a tile; 16 bits number them, and a block sorts them in shared memory.
constexpr std::int64_t most_group_rows = 16384;

/// Of a block's shared memory, for sums of rows where a block goes through all panels.
constexpr double share_of_sums = 0.45;

/// So many slices keep all warps of a block busy with about as much work each.
constexpr int wanted_slices = 6 * solver_threads / warp_threads;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void set_panels(Tiling& tiling, std::int64_t most_columns) {
  const std::int64_t panels = divided_up(tiling.rows, most_columns / 2 * 2);
  tiling.panels = static_cast<int>(panels);
  tiling.panel_columns = static_cast<int>(divided_up(divided_up(tiling.rows, panels), 2) * 2);
}

void set_groups(Tiling& tiling, std::int64_t groups) {
  tiling.group_rows = static_cast<int>(divided_up(tiling.rows, groups));
  tiling.groups = static_cast<int>(divided_up(tiling.rows, tiling.group_rows));
}

}  // namespace

Tiling tiling_for(std::int64_t rows, int multiprocessors, std::int64_t shared_bytes) {
  Tiling tiling{.rows = rows};
  set_panels(tiling, shared_bytes / word);
  tiling.one_tile_a_block = tiling.panels <= std::min<std::int64_t>(most_parts, multiprocessors) &&
                            divided_up(rows, multiprocessors / tiling.panels) <= most_group_rows;
  if (tiling.one_tile_a_block) {
    set_groups(tiling, multiprocessors / tiling.panels);
    tiling.blocks = static_cast<int>(tiling.tiles());
    while (tiling.row_lanes < warp_threads && tiling.tile_slices() < wanted_slices) {
      tiling.row_lanes *= 2;
    }
    return tiling;
  }
  const auto most_rows =
      static_cast<std::int64_t>(share_of_sums * static_cast<double>(shared_bytes)) / word;
  const std::int64_t rounds = divided_up(rows, most_rows * multiprocessors);
  set_groups(tiling, rounds * multiprocessors);
  tiling.blocks = std::min(tiling.groups, multiprocessors);
  set_panels(tiling, shared_bytes / word - tiling.group_rows);
  return tiling;
}

}  // namespace bankfull::npb::cg::cuda
