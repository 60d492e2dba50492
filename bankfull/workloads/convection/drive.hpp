#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/formula/program.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/metrics.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/scheme.hpp"

#include <array>
#include <vector>

namespace bankfull::convection {

/// When a stage begins, which is when its forces act, and when it ends, which is when the walls
/// meet the flow that it leaves.
struct StageTimes {
  double begin = 0.0;
  double end = 0.0;
};

/// A wall whose value is a formula of time, as a field meets it.
struct VaryingWall {
  int field = 0;
  int axis = 0;  ///< a storage axis
  int side = 0;
  double share = 0.0;  ///< of the wall's value in the ghost's, see Continuation
  formula::Program value;

  /// What the rule of the ghost adds at the end of a stage, and how much of that is new.
  BANKFULL_HOST_DEVICE void set(Continuations* rules, const StageTimes& times) const {
    Continuation& rule = rules[field].at[axis][side];
    rule.varying = share * value.at(times.end);
    rule.change = change(times);
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE double change(const StageTimes& times) const {
    return share * (value.at(times.end) - value.at(times.begin));
  }
};

/// A force or source that a formula of time multiplies.
struct VaryingSource {
  int field = 0;
  formula::Program factor;
};

/// All of a problem that varies with time whatever the flow does: plain data, which a GPU evaluates
/// for itself, since it alone knows how long its steps are.
struct Drive {
  std::vector<VaryingWall> walls;
  std::vector<VaryingSource> sources;

  [[nodiscard]] bool any() const { return !walls.empty() || !sources.empty(); }
};

Drive drive_of(const Problem& problem, const Grid& grid);

/// What multiplies the sources of fields.
struct SourceFactors {
  double of[max_fields];
};

SourceFactors source_factors_at(const Drive& drive, double time);

/// The times of stage n of a step from one time to another. With u' = 1 a stage adds gamma + zeta
/// to u, which is then the time itself.
BANKFULL_HOST_DEVICE inline StageTimes times_of(const Stages& stages, int n, double from,
                                                double to) {
  double begin = from;
  for (int before = 0; before < n; ++before) {
    begin += stages.at[before].gamma + stages.at[before].zeta;
  }
  const double end = begin + stages.at[n].gamma + stages.at[n].zeta;
  return {begin, n + 1 == stages.count ? to : end};
}

}  // namespace bankfull::convection
