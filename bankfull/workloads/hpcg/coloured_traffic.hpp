#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"

namespace bankfull::hpcg {

// What the steps of an iteration must move: matrix entries and indices once, vectors once. What a
// step has just written counts as written only, though sweeps read x back: it comes from a cache.
// Flops are those that are done.

struct SweepTraffic {
  Traffic forward_from_zero;
  Traffic backward_after_zero;
  Traffic restrict_residual;
  Traffic prolong;
  Traffic forward_again;
  Traffic backward_again;
};

/// Of one level with so many slots of `upper` that have coarse columns, `Height` rows each.
SweepTraffic sweep_traffic(const ColouredLevel& level, std::int64_t coarse_slots, int height);

/// y = A x and x.y.
Traffic multiply_traffic(const ColouredLevel& level);

/// x += alpha p; p = z + beta p.
Traffic turn_traffic(const ColouredLevel& level);

/// r -= alpha A p and r.r.
Traffic advance_traffic(const ColouredLevel& level);

}  // namespace bankfull::hpcg
