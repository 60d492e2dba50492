#pragma once

#include "bankfull/core/measure/work.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

// What the steps of an iteration must move: matrix entries and indices once, vectors once. Values
// that a step has just written are not counted again when a sweep reads them back, because they
// come from a cache. Columns of other ranks, a face of the grid, are left out. Flops are those of
// the CPU's rows (cpu/half_sweeps.hpp), which form the products with a row's parts one by one and
// add them; a GPU, which continues the same sum, does one or two less per row.

struct SweepTraffic {
  Traffic forward_from_zero;
  Traffic backward_after_zero;
  Traffic restrict_residual;
  Traffic prolong;
  Traffic forward_again;
  Traffic backward_again;
  Traffic cycle;  ///< all of these, those of the coarser levels, and the finer one's prolongation
};

/// Slots that steps about coarse rows read.
struct CoarseSlots {
  std::int64_t of_columns = 0;  ///< of `upper`, with coarse columns
  std::int64_t lower = 0;       ///< of the rows that may have a coarse row, in each part
  std::int64_t upper = 0;
  std::int64_t outer = 0;
};

/// Counts them; `Height` rows make a slice.
template <int Height, class Executor>
CoarseSlots count_coarse_slots(const Executor& executor, const ColouredLevel& level) {
  CoarseSlots count;
  for (const SlotRange& range : executor.to_host(
           level.coarse_slots.data(), static_cast<std::int64_t>(level.coarse_slots.size()))) {
    count.of_columns += range.end - range.begin;
  }
  const Range rows = level.coarse_range();
  const auto slots_of = [&](const Sliced& part) {
    const auto first_slot = [&](std::int64_t row) {
      return executor.to_host(part.slot.data() + row / Height, 1).front();
    };
    return rows.size() > 0 ? first_slot(rows.end) - first_slot(rows.begin) : 0;
  };
  count.lower = slots_of(level.lower);
  count.upper = slots_of(level.upper);
  count.outer = slots_of(level.outer);
  return count;
}

/// The sweeps of one level in slices of `height` rows. On the finest the last sweep forms r.z too.
SweepTraffic sweep_traffic(const ColouredLevel& level, const CoarseSlots& coarse, int height,
                           bool finest);

/// Adds up the levels' steps.
void sum_cycles(std::vector<SweepTraffic>& levels);

/// y = A x and x.y.
Traffic multiply_traffic(const ColouredLevel& level);

/// The last sweep, which also keeps (D + U) z.
Traffic with_kept_products(const Traffic& last_sweep, const ColouredLevel& level);

/// x += alpha p; p = z + beta p; A p = A z + beta A p from the lower half and (D + U) z; p.Ap.
Traffic recurrence_traffic(const ColouredLevel& level);

/// x += alpha p; p = z + beta p.
Traffic update_direction_traffic(const ColouredLevel& level);

/// The first sweep, which also does what update_solution_traffic is of; it reads r in any case.
Traffic with_update_of_r(const Traffic& first_sweep, const ColouredLevel& level);

/// r -= alpha A p and r.r; x is updated with the direction, which reads p anyway.
Traffic update_solution_traffic(const ColouredLevel& level);

/// Bytes that the steps of each level pass through before they use the same data again, at least:
/// the matrix as it is kept and the vectors, of the level and of all coarser ones, whose steps lie
/// between its own. For the finest level these are the data of a whole iteration.
std::vector<double> working_sets(const std::vector<ColouredLevel>& levels);

/// The work of a step on one rank with this traffic and this working set.
Work step_work(const Traffic& traffic, double working_set_bytes);

}  // namespace bankfull::hpcg
