#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/himeno/point.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace bankfull::himeno {
namespace {

constexpr int max_chunks = 64;

/// Steps of an item beyond its planes: the pipeline's length.
constexpr int extra_steps = 2 * fused_layers;

/// Boxes begin on 128 bytes. The last group of a slot reads one point past its end, and the first
/// one of a result one point before it, which is the padding of the slot before.
int slot_bytes(std::size_t bytes) { return static_cast<int>((bytes + 16 + 127) / 128 * 128); }

/// A plan without its division along i; no coefficient slots where shared memory does not suffice.
FusedPlan with_rows(int rows, std::size_t element_bytes, const FusedResources& resources) {
  const FusedShape shape = fused_shape(element_bytes);
  FusedPlan plan;
  plan.region_rows = rows + 2 * fused_layers;
  const auto region_rows = static_cast<std::size_t>(plan.region_rows);
  const auto bytes_of_row = [&](int columns) {
    return static_cast<std::size_t>(columns) * element_bytes;
  };
  plan.pressure_slot_bytes = slot_bytes(bytes_of_row(shape.pressure_width()) * (region_rows + 2));
  plan.result_slot_bytes = slot_bytes(bytes_of_row(shape.width()) * (region_rows + 2));
  plan.coefficient_slot_bytes =
      slot_bytes(bytes_of_row(shape.width()) * region_rows * coefficient_count);
  const int fixed = fused_barrier_bytes + fused_pressure_slots * plan.pressure_slot_bytes +
                    fused_layers * fused_result_slots * plan.result_slot_bytes;
  plan.coefficient_slots = std::min((resources.shared_bytes - fixed) / plan.coefficient_slot_bytes,
                                    fused_max_coefficient_slots);
  plan.shared_bytes = fixed + plan.coefficient_slots * plan.coefficient_slot_bytes;
  return plan;
}

/// The columns reach from first_column(), two before the interior, to its end.
Extents extents_with_lead(const Extents& interior, const FusedShape& shape) {
  return {interior.ni, interior.nj, interior.nk - shape.first_column()};
}

/// Steps of the block that has most items.
std::int64_t steps(const FusedPlan& plan) {
  const FusedItems& items = plan.items;
  const std::int64_t parts = items.count() - items.whole;
  return items.whole / plan.blocks * (items.tiles.ni + extra_steps) +
         tiles_for(parts, plan.blocks) * (items.planes + extra_steps);
}

/// Keeping blocks in step pays off in long launches; a short one ends before its blocks drift
/// apart.
int window_for(const FusedPlan& plan) {
  constexpr std::int64_t long_launch = 128;  // steps
  return steps(plan) < long_launch ? 0 : 2;
}

/// Calls `consider` with every division of the tiles of `plan` into items.
template <class Consider>
void for_divisions(FusedPlan plan, int multiprocessors, const Consider& consider) {
  FusedItems& items = plan.items;
  const int all = items.tiles.count();
  for (items.whole = 0; items.whole <= all; items.whole += multiprocessors) {
    for (int chunks = 1; chunks <= std::min(max_chunks, items.tiles.ni); ++chunks) {
      items.planes = tiles_for(items.tiles.ni, chunks);
      items.chunks = tiles_for(items.tiles.ni, items.planes);
      plan.blocks = std::min(items.count(), multiprocessors);
      consider(plan);
    }
  }
}

}  // namespace

FusedPlan plan_fused(const Extents& interior, std::size_t element_bytes,
                     const FusedResources& resources) {
  const FusedShape shape = fused_shape(element_bytes);
  FusedPlan best;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (int rows = 1; rows <= fused_computing_threads / shape.groups() - 2 * fused_layers; ++rows) {
    FusedPlan plan = with_rows(rows, element_bytes, resources);
    if (plan.coefficient_slots < 2) {
      break;
    }
    plan.items.tiles = tile_grid(extents_with_lead(interior, shape), shape.columns, rows,
                                 static_cast<int>(interior.ni));
    for_divisions(plan, resources.multiprocessors, [&](const FusedPlan& divided) {
      if (steps(divided) < fewest) {
        fewest = steps(divided);
        best = divided;
      }
    });
  }
  expects(best.blocks > 0, "shared memory holds the smallest tile");
  best.window = window_for(best);
  return best;
}

std::string describe(const FusedPlan& plan) {
  const FusedItems& items = plan.items;
  const int others = items.tiles.count() - items.whole;
  const std::string parts = others == 0 ? ""
                                        : fmt::format("{} in {} part{}, ", others, items.chunks,
                                                      items.chunks == 1 ? "" : "s");
  return fmt::format("tile {} x {}, {}{}{} blocks, {} shared memory", items.tiles.columns,
                     items.tiles.rows,
                     items.whole == 0 ? "" : fmt::format("{} whole, ", items.whole), parts,
                     plan.blocks, format_bytes(plan.shared_bytes));
}

}  // namespace bankfull::himeno
