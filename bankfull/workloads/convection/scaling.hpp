#pragma once

#include "bankfull/core/comm/first_ranks.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/scaling.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::convection {

/// The same flow on several numbers of ranks; plain data, checked by `make_plan`.
struct ScalingProblem {
  Problem problem;  ///< the grid of all ranks or, weak, of one
  Scaling mode = Scaling::strong;
  std::vector<int> rank_counts;      ///< ascending
  std::optional<int> total_threads;  ///< shared out among the ranks; else each has the problem's
  int repeats = 3;
  double target_seconds = 3.0;  ///< that the steps of all repeats of a number of ranks take
};

/// What one of the numbers of ranks runs.
struct ScalingCase {
  FirstRanks ranks;
  Problem problem;
  std::unique_ptr<const Plan> plan = nullptr;  ///< known on its ranks only, the root among them
  std::string shortage = {};                   ///< of memory, likewise; empty: none

  /// The largest block alone, closed on itself or between walls along axes that are cut: what each
  /// rank computes where nothing is exchanged. Null on one rank, and where it would be stored with
  /// its axes in another order.
  std::unique_ptr<const Plan> block = nullptr;
};

struct ScalingPlan {
  ScalingProblem problem;
  std::vector<ScalingCase> cases;  ///< as many as numbers of ranks
};

/// What so many ranks run: weak problems grow along the axis across planes, with cells of the same
/// widths where it is uniform, and are cut along it alone.
Problem problem_on(const ScalingProblem& scaling, int ranks);

/// Collective. Throws UsageError where the problem makes no sense on some number of ranks, or where
/// there are fewer ranks than it asks for. All ranks of a case throw; the others wait for them.
ScalingPlan make_plan(const ScalingProblem& scaling, const Communicator& world,
                      CeilingRule ceilings = CeilingRule::automatic,
                      Shortage shortage = Shortage::refused);

/// Times steps from the initial flow on every number of ranks, alternating between them, and the
/// parts of a stage, with messages and, for each rank its block alone, without: what messages, work
/// that ranks do twice, and waiting for each other add to a part is its exposed communication.
///
/// Collective over the ranks of the context. The root gets one measurement per case, all ranks the
/// same verdict. Throws RuntimeFailure where the machine fails.
RunResult run_scaling(const ScalingPlan& plan, const RunContext& context);

}  // namespace bankfull::convection
