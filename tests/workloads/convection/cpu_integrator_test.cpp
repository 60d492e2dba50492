#include "bankfull/workloads/convection/integrator.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

std::vector<Case> all_cases() {
  std::vector<Case> all = cases();
  for (const Case& one : larger_cases()) {
    all.push_back(one);
  }
  return all;
}

constexpr double to_rounding = 1e-12;
constexpr double to_single_rounding = 3e-5;

TEST(CpuIntegrator, AgreesWithTheReference) {
  for (const Case& one : all_cases()) {
    Problem tuned = one.problem;
    tuned.threads = 2;
    expect_agreement(one, tuned, to_rounding);
  }
}

TEST(CpuIntegrator, AgreesWithTheReferenceByMultigrid) {
  for (const Case& one : all_cases()) {
    Problem tuned = one.problem;
    tuned.threads = 2;
    tuned.solver = PressureSolver::multigrid;
    expect_agreement(one, tuned, to_rounding);
  }
}

TEST(CpuIntegrator, AgreesWithTheReferenceInSinglePrecision) {
  for (const Case& one : all_cases()) {
    Problem tuned = one.problem;
    tuned.precision = Precision::fp32;
    tuned.divergence = 1e-4;
    expect_agreement(one, tuned, to_single_rounding);
  }
}

TEST(CpuIntegrator, ThreadsChangeNoBit) {
  const std::vector<Case> all = all_cases();
  // Teams larger than the machine are slow: every seventh case, which is of every kind.
  for (std::size_t n = 0; n < all.size(); n += 7) {
    const Case& one = all[n];
    for (const PressureSolver solver : {PressureSolver::automatic, PressureSolver::multigrid}) {
      Problem problem = one.problem;
      problem.solver = solver;
      const Reached alone = reached(problem, 3);
      for (const int threads : {2, 3}) {
        problem.threads = threads;
        const Reached together = reached(problem, 3);
        EXPECT_EQ(together.state.fields, alone.state.fields) << one.name << ", " << threads;
        EXPECT_EQ(together.diagnosis.kinetic_energy, alone.diagnosis.kinetic_energy) << one.name;
      }
    }
  }
}

TEST(CpuIntegrator, TimedStagesAreTheSameStages) {
  for (const Case& one : larger_cases()) {
    const FlowState start = initial_state(one.problem, Grid(one.problem.axes));
    const std::unique_ptr<Integrator> flow = make_integrator(one.problem);
    const std::unique_ptr<Integrator> timed = make_integrator(one.problem);
    flow->load(start);
    timed->load(start);
    const Stage stage{.fresh = one.problem.time_step.fixed};
    flow->advance(stage);
    const StageSeconds seconds = timed->advance_timed(stage);
    EXPECT_EQ(timed->state().fields, flow->state().fields) << one.name;
    EXPECT_GT(seconds[static_cast<std::size_t>(StagePart::advance)], 0.0);
  }
}

TEST(CpuIntegrator, LoadingForgetsWhatWasBefore) {
  for (const Case& one : larger_cases()) {
    const FlowState start = initial_state(one.problem, Grid(one.problem.axes));
    const std::unique_ptr<Integrator> flow = make_integrator(one.problem);
    flow->load(start);
    const double dt = one.problem.time_step.fixed;
    advance_steps(*flow, one.problem.scheme, {dt, dt});
    const FlowState once = flow->state();
    flow->load(start);
    advance_steps(*flow, one.problem.scheme, {dt, dt});
    EXPECT_EQ(flow->state().fields, once.fields) << one.name;
  }
}

TEST(CpuIntegrator, AFlowThatIsNotFiniteIsSeen) {
  const Problem problem = larger_cases().front().problem;
  FlowState start = initial_state(problem, Grid(problem.axes));
  start.fields.back()[start.fields.back().size() / 2] = HUGE_VAL;
  const std::unique_ptr<Integrator> flow = make_integrator(problem);
  flow->load(start);
  EXPECT_FALSE(flow->diagnose().finite());
}

}  // namespace
}  // namespace bankfull::convection
