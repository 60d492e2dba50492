#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace bankfull::himeno {
namespace {

constexpr int max_chunks = 64;
constexpr int max_shorts = 3;  ///< of a tile

/// Steps of an item beyond its planes: the pipeline's length.
constexpr int extra_steps = 2 * fused_layers;

/// Boxes begin on 128 bytes. The last group of a slot reads one point past its end, and the first
/// one of a result one point before it, which is the padding of the slot before.
int slot_bytes(std::size_t bytes) { return static_cast<int>((bytes + 16 + 127) / 128 * 128); }

/// Rows of a region for which there are threads.
int most_region_rows(const FusedShape& shape) { return fused_computing_threads / shape.groups(); }

/// The columns reach from first_column(), two before the interior, to its end.
Extents extents_with_lead(const Extents& interior, const FusedShape& shape) {
  return {interior.ni, interior.nj, interior.nk - shape.first_column()};
}

/// What becomes of the rows that are too few for a tile.
enum class LastRows { in_tiles, in_strips };

/// Tiles of so many rows. The last rows are in strips if asked for and where that takes fewer
/// tiles.
FusedItems tiles_of(int rows, LastRows last_rows, const Extents& interior,
                    const FusedShape& shape) {
  const Extents extents = extents_with_lead(interior, shape);
  FusedItems items;
  items.tiles = tile_grid(extents, shape.columns, rows, static_cast<int>(extents.ni));
  const auto nj = static_cast<int>(extents.nj);
  if (last_rows == LastRows::in_strips && nj > rows && nj % rows > 0) {
    FusedStrips strips{.rows = nj % rows, .first_row = nj - nj % rows};
    strips.of_tile = most_region_rows(shape) / strips.region_rows();
    strips.tiles = tiles_for(extents.nk, strips.of_tile * shape.columns);
    if (strips.tiles < items.tiles.tiles_k) {
      --items.tiles.tiles_j;
      items.strips = strips;
    }
  }
  return items;
}

/// A plan without its division along i; no coefficient slots where shared memory does not suffice.
FusedPlan with_rows(int rows, LastRows last_rows, const Extents& interior,
                    std::size_t element_bytes, const FusedResources& resources) {
  const FusedShape shape = fused_shape(element_bytes);
  FusedPlan plan;
  plan.items = tiles_of(rows, last_rows, interior, shape);
  plan.region_rows = rows + 2 * fused_layers;
  const auto slots_for = [&](int region_rows, int pressures_before, int coefficients_before) {
    const auto grow = [&](int& most, int elements) {
      most = std::max(most, slot_bytes(static_cast<std::size_t>(elements) * element_bytes));
    };
    grow(plan.pressure_slot_bytes, pressures_before + shape.pressure_width() * (region_rows + 2));
    grow(plan.coefficient_slot_bytes,
         coefficients_before + shape.width() * region_rows * coefficient_count);
  };
  slots_for(plan.region_rows, 0, 0);
  const FusedStrips& strips = plan.items.strips;
  if (strips.tiles > 0) {
    const int before = strips.of_tile - 1;
    slots_for(strips.region_rows(), before * strips.pressure_pitch(element_bytes),
              before * strips.coefficient_pitch(element_bytes));
  }
  const int result_rows = std::max(plan.region_rows, strips.of_tile * strips.region_rows()) + 2;
  plan.result_slot_bytes =
      slot_bytes(static_cast<std::size_t>(shape.width() * result_rows) * element_bytes);
  const int fixed = fused_barrier_bytes + fused_pressure_slots * plan.pressure_slot_bytes +
                    fused_layers * fused_result_slots * plan.result_slot_bytes;
  plan.coefficient_slots = std::min((resources.shared_bytes - fixed) / plan.coefficient_slot_bytes,
                                    fused_max_coefficient_slots);
  plan.shared_bytes = fixed + plan.coefficient_slots * plan.coefficient_slot_bytes;
  return plan;
}

/// Parts of a tile.
int parts_of_tile(const FusedParts& parts) {
  return tiles_for(parts.last - parts.first, parts.planes);
}

/// Steps of the block that has most.
std::int64_t steps(const FusedPlan& plan) {
  const FusedItems& items = plan.items;
  const auto steps_of = [&](const FusedParts& parts) -> std::int64_t {
    return parts.blocks == 0 ? 0
                             : tiles_for(items.others() * parts_of_tile(parts), parts.blocks) *
                                   (parts.planes + extra_steps);
  };
  return items.rounds * (items.tiles.ni + extra_steps) +
         std::max(steps_of(items.parts), steps_of(items.shorts));
}

/// Short parts are not beside others of the same planes, with which they would share halos in L2:
/// they must save a hundredth of the steps.
std::int64_t cost(const FusedPlan& plan) {
  return steps(plan) * (plan.items.shorts.blocks == 0 ? 100 : 101);
}

/// Keeping blocks in step pays off in long launches; a short one ends before its blocks drift
/// apart.
int window_for(const FusedPlan& plan) {
  constexpr std::int64_t long_launch = 128;  // steps
  return steps(plan) < long_launch ? 0 : 2;
}

/// Of the blocks at hand, those that do parts of so many tiles: all that do whole tiles.
int blocks_for(int rounds, int tiles, const FusedParts& parts, int at_hand) {
  return rounds > 0 ? at_hand : std::min(tiles * parts_of_tile(parts), at_hand);
}

/// Calls `consider` with every division of the tiles of `plan` into items, some whole and the
/// others in alike parts.
template <class Consider>
void for_alike_parts(FusedPlan plan, int multiprocessors, const Consider& consider) {
  FusedItems& items = plan.items;
  const int all = items.count<true>();
  const int ni = items.tiles.ni;
  for (items.rounds = 0; items.rounds * multiprocessors < all; ++items.rounds) {
    const int others = all - items.rounds * multiprocessors;
    for (int chunks = 1; chunks <= std::min(max_chunks, ni); ++chunks) {
      items.parts = {.last = ni, .planes = tiles_for(ni, chunks)};
      items.parts.blocks = blocks_for(items.rounds, others, items.parts, multiprocessors);
      consider(plan);
    }
  }
}

/// The same where the tiles that do not fill all blocks are cut into parts of which a block does
/// one, and what these leave into short ones, of which each of the remaining blocks does several.
template <class Consider>
void for_unlike_parts(FusedPlan plan, int multiprocessors, const Consider& consider) {
  FusedItems& items = plan.items;
  const int ni = items.tiles.ni;
  items.rounds = items.count<true>() / multiprocessors;
  const int others = items.count<true>() % multiprocessors;
  const int most = others == 0 ? 0 : (multiprocessors - 1) / others;
  for (int parts = 1; parts <= most; ++parts) {
    const int blocks = others * parts;
    for (int planes = 1; planes * parts < ni; ++planes) {
      const int first = planes * parts;
      items.parts = {.last = first, .planes = planes, .blocks = blocks};
      for (int shorts = 1; shorts <= std::min(max_shorts, ni - first); ++shorts) {
        items.shorts = {.first = first,
                        .last = ni,
                        .planes = tiles_for(ni - first, shorts),
                        .first_block = blocks};
        items.shorts.blocks =
            blocks_for(items.rounds, others, items.shorts, multiprocessors - blocks);
        consider(plan);
      }
    }
  }
}

std::string describe(const FusedItems& items) {
  const int parts = parts_of_tile(items.parts);
  const std::string whole = items.rounds == 0 ? "" : fmt::format("{} whole, ", items.whole());
  const std::string shorts = items.shorts.blocks == 0
                                 ? ""
                                 : fmt::format(" of {} planes and {} of {}", items.parts.planes,
                                               parts_of_tile(items.shorts), items.shorts.planes);
  return fmt::format("{}{} in {} part{}{}", whole, items.others(), parts, parts == 1 ? "" : "s",
                     shorts);
}

}  // namespace

FusedPlan plan_fused(const Extents& interior, std::size_t element_bytes,
                     const FusedResources& resources) {
  const FusedShape shape = fused_shape(element_bytes);
  FusedPlan best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto consider = [&](const FusedPlan& plan) {
    if (cost(plan) < least) {
      least = cost(plan);
      best = plan;
    }
  };
  for (const LastRows last_rows : {LastRows::in_tiles, LastRows::in_strips}) {
    for (int rows = 1; rows <= most_region_rows(shape) - 2 * fused_layers; ++rows) {
      const FusedPlan plan = with_rows(rows, last_rows, interior, element_bytes, resources);
      if (plan.coefficient_slots >= 2) {
        for_alike_parts(plan, resources.multiprocessors, consider);
        for_unlike_parts(plan, resources.multiprocessors, consider);
      }
    }
  }
  expects(best.items.blocks() > 0, "shared memory holds the smallest tile");
  best.window = window_for(best);
  return best;
}

std::string describe(const FusedPlan& plan) {
  const FusedItems& items = plan.items;
  const FusedStrips& last = items.strips;
  const std::string strips = last.tiles == 0 ? ""
                                             : fmt::format(" and {} of {} x {}", last.of_tile,
                                                           items.tiles.columns, last.rows);
  return fmt::format("tile {} x {}{}, {}, {} blocks, {} shared memory", items.tiles.columns,
                     items.tiles.rows, strips, describe(items), items.blocks(),
                     format_bytes(plan.shared_bytes));
}

}  // namespace bankfull::himeno
