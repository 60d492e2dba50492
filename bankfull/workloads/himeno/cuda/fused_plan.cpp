#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/himeno/point.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace bankfull::himeno {
namespace {

constexpr std::int64_t max_chunks = 8;

/// Steps of an item before its first plane is ready for output, and after: the pipeline's length.
constexpr int extra_steps = 4;

/// Boxes begin on 128 bytes. The last group of a slot reads one point past its end.
int slot_bytes(std::size_t bytes) { return static_cast<int>((bytes + 16 + 127) / 128 * 128); }

/// A plan without its division along i; no coefficient slots where shared memory does not suffice.
FusedPlan with_rows(int rows, std::size_t element_bytes, const FusedResources& resources) {
  const FusedShape shape = fused_shape(element_bytes);
  FusedPlan plan;
  plan.region_rows = rows + 2;
  plan.threads = (shape.groups() * plan.region_rows + 31) / 32 * 32;
  const std::size_t row_bytes = static_cast<std::size_t>(shape.width()) * element_bytes;
  const auto region_rows = static_cast<std::size_t>(plan.region_rows);
  plan.pressure_slot_bytes = slot_bytes(row_bytes * (region_rows + 2));
  plan.coefficient_slot_bytes = slot_bytes(row_bytes * region_rows * coefficient_count);
  const int fixed =
      fused_barrier_bytes + (fused_pressure_slots + fused_first_slots) * plan.pressure_slot_bytes;
  plan.coefficient_slots = std::min((resources.shared_bytes - fixed) / plan.coefficient_slot_bytes,
                                    fused_max_coefficient_slots);
  plan.shared_bytes = fixed + plan.coefficient_slots * plan.coefficient_slot_bytes;
  return plan;
}

/// The columns reach from first_column(), two before the interior, to its end.
Extents extents_with_lead(const Extents& interior, const FusedShape& shape) {
  return {interior.ni, interior.nj, interior.nk - shape.first_column()};
}

std::int64_t rounds(const FusedPlan& plan) { return tiles_for(plan.tiles.count(), plan.blocks); }

double cost(const FusedPlan& plan) {
  return static_cast<double>(rounds(plan)) * (plan.tiles.planes + extra_steps) * plan.region_rows;
}

/// Keeping blocks in step pays off in long launches; a short one ends before its blocks drift
/// apart.
int window_for(const FusedPlan& plan) {
  constexpr std::int64_t long_launch = 128;  // steps
  return rounds(plan) * (plan.tiles.planes + 2) < long_launch ? 0 : 2;
}

}  // namespace

FusedPlan plan_fused(const Extents& interior, std::size_t element_bytes,
                     const FusedResources& resources) {
  const FusedShape shape = fused_shape(element_bytes);
  FusedPlan best;
  double least = std::numeric_limits<double>::max();
  for (int rows = 1; rows <= fused_max_threads / shape.groups() - 2; ++rows) {
    FusedPlan plan = with_rows(rows, element_bytes, resources);
    if (plan.coefficient_slots < 2) {
      break;
    }
    for (std::int64_t chunks = 1; chunks <= std::min(max_chunks, interior.ni); ++chunks) {
      plan.tiles = tile_grid(extents_with_lead(interior, shape), shape.columns, rows,
                             static_cast<int>((interior.ni + chunks - 1) / chunks));
      plan.blocks = std::min(plan.tiles.count(), resources.multiprocessors);
      if (cost(plan) < least) {
        least = cost(plan);
        best = plan;
      }
    }
  }
  expects(best.blocks > 0, "a block's shared memory holds the smallest tile");
  best.window = window_for(best);
  return best;
}

std::string describe(const FusedPlan& plan) {
  return fmt::format("tile {} x {}, {} chunk{}, {} blocks, {} shared memory", plan.tiles.columns,
                     plan.tiles.rows, plan.tiles.chunks, plan.tiles.chunks == 1 ? "" : "s",
                     plan.blocks, format_bytes(plan.shared_bytes));
}

}  // namespace bankfull::himeno
