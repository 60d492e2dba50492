#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/first_ranks.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/scaling.hpp"
#include "bankfull/workloads/himeno/plan.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace bankfull::himeno {

/// The same sweeps on several numbers of ranks; plain data, checked by `make_plan`.
struct ScalingProblem {
  Problem problem;  ///< one schedule; the grid of all ranks or, weak, of one; a grid of ranks is
                    ///< for the number of ranks that it has
  Scaling mode = Scaling::strong;
  std::vector<int> rank_counts;      ///< ascending
  std::optional<int> total_threads;  ///< shared out among the ranks; else each has the problem's
};

/// What one of the numbers of ranks runs.
struct ScalingCase {
  FirstRanks ranks;
  Problem problem;
  std::unique_ptr<const Plan> plan = nullptr;  ///< known on its ranks only, the root among them
};

/// A valid scaling problem with what follows from it on given ranks, which must outlive it.
struct ScalingPlan {
  ScalingProblem problem;
  std::vector<ScalingCase> cases;  ///< as many as numbers of ranks
};

/// A grid of equal blocks, one per rank.
struct WeakGrid {
  GridSize grid;
  RankGrid cuts;
};

/// The grid that gives each of so many ranks the points that `size` has, cut so that they send
/// least; ties go to cuts along i before j before k. The width of halos, which is among the rules,
/// is left to `make_plan`.
WeakGrid weak_grid(const GridSize& size, int ranks, const DecompositionRules& rules = {});

/// What so many ranks run: their grid, their cuts and their threads.
Problem problem_on(const ScalingProblem& scaling, int ranks);

/// Collective. Throws UsageError where the problem makes no sense on some number of ranks, or where
/// there are fewer ranks than it asks for. All ranks of a case throw; the others wait for them.
ScalingPlan make_plan(const ScalingProblem& scaling, const Communicator& world,
                      CeilingRule ceilings = CeilingRule::automatic,
                      Shortage shortage = Shortage::refused);

/// Verifies the sweeps on every number of ranks and times them, alternating between them, so that
/// disturbances of the machine affect all alike. Before each timing the fields are allocated anew:
/// only one case at a time holds memory.
///
/// Collective over the ranks of the context. The root gets one measurement per case, all ranks the
/// same verdict. Throws RuntimeFailure where the machine fails.
RunResult run_scaling(const ScalingPlan& plan, const RunContext& context);

}  // namespace bankfull::himeno
