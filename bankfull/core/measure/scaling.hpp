#pragma once

#include <string>

namespace bankfull {

/// What stays the same when ranks are added.
enum class Scaling {
  strong,  ///< the whole problem
  weak,    ///< the problem of one rank
};

inline std::string to_string(Scaling mode) { return mode == Scaling::strong ? "strong" : "weak"; }

/// The time of a step, such as an iteration, on a number of ranks.
struct ScalingPoint {
  int ranks = 1;
  int cores = 1;  ///< that the ranks have together, or GPUs: whatever the step could use
  double seconds = 0.0;
};

/// How much more work is done in the same time than at `first`: weak problems grow with the ranks.
constexpr double speedup_of(Scaling mode, const ScalingPoint& first, const ScalingPoint& point) {
  const double growth =
      mode == Scaling::weak ? static_cast<double>(point.ranks) / first.ranks : 1.0;
  return growth * first.seconds / point.seconds;
}

/// The speedup over what as many times more cores could give at best. Where all ranks have as many
/// cores, t1 n1 / (tn n) for strong scaling and t1 / tn for weak.
constexpr double efficiency_of(Scaling mode, const ScalingPoint& first, const ScalingPoint& point) {
  return speedup_of(mode, first, point) * first.cores / point.cores;
}

}  // namespace bankfull
