#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::poisson::multigrid {

/// Of one V-cycle with the outer residual, where every wave reads and writes each field once. A
/// cell of the finest level moves
///
///   way down with the outer residual: p, f and e read; p, r and e written; 1/8 coarse r written
///   way up: e and r read, e written; 1/8 coarse e read
///
/// and one of the others r read and e written on the way down. The first way down of a solve and
/// the last residual, which have no other half, count as one together.
Traffic cycle_traffic(const std::vector<Level>& levels, std::size_t element_bytes);

/// Of the finest level's two waves.
Traffic way_down_traffic(const Level& finest, std::size_t element_bytes);
Traffic way_up_traffic(const Level& level);

}  // namespace bankfull::poisson::multigrid
