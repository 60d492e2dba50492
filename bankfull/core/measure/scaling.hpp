#pragma once

#include "bankfull/core/base/enum_names.hpp"

#include <string>

namespace bankfull {

/// What stays constant when ranks are added.
enum class Scaling {
  strong,  ///< the whole problem
  weak,    ///< the problem of one rank
};

/// As options and results have them.
inline constexpr auto scaling_names =
    enum_names<Scaling>({{Scaling::strong, "strong"}, {Scaling::weak, "weak"}});

/// The name in scaling_names.
inline std::string to_string(Scaling mode) { return scaling_names.to_string(mode); }

/// The time of a step, such as an iteration, on a number of ranks.
struct ScalingPoint {
  int ranks = 1;         ///< that share the work
  int cores = 1;         ///< cores or GPUs of all ranks
  double seconds = 0.0;  ///< of one step
};

/// Work per time relative to `first`; the work of weak problems grows with the ranks.
constexpr double speedup_of(Scaling mode, const ScalingPoint& first, const ScalingPoint& point) {
  const double growth =
      mode == Scaling::weak ? static_cast<double>(point.ranks) / first.ranks : 1.0;
  return growth * first.seconds / point.seconds;
}

/// The speedup divided by the growth in cores. If all ranks have equally many cores, this is
/// t1 n1 / (tn n) for strong scaling and t1 / tn for weak scaling.
constexpr double efficiency_of(Scaling mode, const ScalingPoint& first, const ScalingPoint& point) {
  return speedup_of(mode, first, point) * first.cores / point.cores;
}

}  // namespace bankfull
