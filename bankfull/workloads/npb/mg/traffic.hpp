#pragma once

#include "bankfull/core/measure/traffic.hpp"

#include <cstdint>

namespace bankfull::npb::mg {

// Traffic of the passes over a grid with this many points, and their flops by the functions in
// rows.hpp. Left out are halos, and what neighbouring blocks of rows and neighbouring ranks form
// both.

/// Where a pass begins.
enum class Start {
  u,     ///< v is the right-hand side
  zero,  ///< u is 0 and not read: grids below the finest
};

/// The way down: u and v are read, the coarse r is written.
Traffic downward_traffic(std::int64_t points, Start start);

/// The way up: the coarse u, u and v are read, u is written.
Traffic upward_traffic(std::int64_t points, Start start);

/// From the way up to the next way down in one pass, which reads u and v once: the coarse u, u and
/// v are read, u and the coarse r are written.
Traffic turn_traffic(std::int64_t points);

/// The coarsest grid: r is read, u written.
Traffic coarsest_traffic(std::int64_t points);

/// The norm of the residual: u and v are read.
Traffic residual_norm_traffic(std::int64_t points);

/// A V-cycle: `levels` grids, the finest with `points`, each of the others with an eighth.
Traffic cycle_traffic(std::int64_t points, int levels);

}  // namespace bankfull::npb::mg
