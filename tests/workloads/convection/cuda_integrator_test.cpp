#include "bankfull/workloads/convection/integrator.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace bankfull::convection {
namespace {

Problem on_gpu(const Case& one, PressureSolver solver) {
  Problem problem = one.problem;
  problem.device = Device::cuda(0);
  problem.solver = solver;
  return problem;
}

constexpr double to_rounding = 1e-12;
constexpr double to_single_rounding = 3e-5;

TEST(CudaIntegrator, AgreesWithTheReference) {
  for (const Case& one : cases()) {
    expect_agreement(one, on_gpu(one, PressureSolver::automatic), to_rounding);
  }
}

TEST(CudaIntegrator, AgreesWithTheReferenceOnLargerGrids) {
  for (const Case& one : larger_cases()) {
    expect_agreement(one, on_gpu(one, PressureSolver::automatic), to_rounding);
    expect_agreement(one, on_gpu(one, PressureSolver::multigrid), to_rounding);
  }
}

TEST(CudaIntegrator, AgreesWithTheReferenceByMultigrid) {
  for (const Case& one : cases()) {
    expect_agreement(one, on_gpu(one, PressureSolver::multigrid), to_rounding);
  }
}

TEST(CudaIntegrator, AgreesWithTheReferenceInSinglePrecision) {
  for (const std::vector<Case>& some : {cases(), larger_cases()}) {
    for (const Case& one : some) {
      Problem tuned = on_gpu(one, PressureSolver::automatic);
      tuned.precision = Precision::fp32;
      tuned.divergence = 1e-4;
      expect_agreement(one, tuned, to_single_rounding);
    }
  }
}

TEST(CudaIntegrator, TheSameBitsEveryTime) {
  for (const Case& one : larger_cases()) {
    for (const PressureSolver solver : {PressureSolver::automatic, PressureSolver::multigrid}) {
      const Reached once = reached(on_gpu(one, solver), 4);
      const Reached again = reached(on_gpu(one, solver), 4);
      EXPECT_EQ(again.state.fields, once.state.fields) << one.name;
      EXPECT_EQ(again.diagnosis.kinetic_energy, once.diagnosis.kinetic_energy) << one.name;
    }
  }
}

TEST(CudaIntegrator, TimedStagesAreTheSameStages) {
  for (const Case& one : larger_cases()) {
    const Problem problem = on_gpu(one, PressureSolver::automatic);
    const FlowState start = initial_state(problem, Grid(problem.axes));
    const std::unique_ptr<Integrator> flow = make_integrator(problem);
    const std::unique_ptr<Integrator> timed = make_integrator(problem);
    flow->load(start);
    timed->load(start);
    for (int n = 0; n < 3; ++n) {
      const Stage stage{.fresh = problem.time_step.fixed, .previous = n * 1e-4};
      flow->advance(stage);
      const StageSeconds seconds = timed->advance_timed(stage);
      EXPECT_GT(seconds[static_cast<std::size_t>(StagePart::advance)], 0.0);
    }
    EXPECT_EQ(timed->state().fields, flow->state().fields) << one.name;
  }
}

TEST(CudaIntegrator, LoadingForgetsWhatWasBefore) {
  for (const Case& one : larger_cases()) {
    const Problem problem = on_gpu(one, PressureSolver::automatic);
    const FlowState start = initial_state(problem, Grid(problem.axes));
    const std::unique_ptr<Integrator> flow = make_integrator(problem);
    const double dt = problem.time_step.fixed;
    flow->load(start);
    advance_steps(*flow, problem.scheme, {dt, dt});
    const FlowState once = flow->state();
    flow->load(start);
    advance_steps(*flow, problem.scheme, {dt, dt});
    EXPECT_EQ(flow->state().fields, once.fields) << one.name;
  }
}

TEST(CudaIntegrator, AFlowThatIsNotFiniteIsSeen) {
  const Problem problem = on_gpu(larger_cases().front(), PressureSolver::automatic);
  FlowState start = initial_state(problem, Grid(problem.axes));
  start.fields.back()[start.fields.back().size() / 2] = HUGE_VAL;
  const std::unique_ptr<Integrator> flow = make_integrator(problem);
  flow->load(start);
  EXPECT_FALSE(flow->diagnose().finite());
}

}  // namespace
}  // namespace bankfull::convection
