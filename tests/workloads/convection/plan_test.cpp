#include "bankfull/workloads/convection/plan.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/cut.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <gtest/gtest.h>

namespace bankfull::convection {
namespace {

/// Rows are long enough for their padding not to hide the precision.
Problem channel() {
  Problem problem =
      busy_problem({64, 6, 7}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 2, 0);
  problem.time_step = {};
  return problem;
}

TEST(ConvectionPlan, DecidesTheSolver) {
  Problem problem = channel();
  problem.solver = PressureSolver::multigrid;
  EXPECT_EQ(Plan(problem).solver(), PressureSolver::multigrid);
  problem.solver = PressureSolver::automatic;
  EXPECT_NE(Plan(problem).solver(), PressureSolver::automatic);
}

TEST(ConvectionPlan, TakesMultigridForAnyStretchingOfAnyAxis) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Problem problem = channel();
    problem.solver = PressureSolver::multigrid;
    problem.axes[axis].periodic = false;
    problem.axes[axis].stretching = 5.0;
    for (const std::int64_t cells : {16, 64, 200}) {
      problem.axes[axis].cells = cells;
      EXPECT_EQ(Plan(problem).solver(), PressureSolver::multigrid);
    }
  }
}

TEST(ConvectionPlan, RefusesGpusForFewCells) {
  Problem problem = channel();
  constexpr PressureSolver direct = PressureSolver::direct;
  EXPECT_NO_THROW(require_worth_sharing(problem, direct, 8));
  problem.device = Device::cuda(0);
  EXPECT_NO_THROW(require_worth_sharing(problem, direct, 1));
  EXPECT_THROW(require_worth_sharing(problem, direct, 2), UsageError);
  problem.axes[0].cells = (1 << 20) / (problem.axes[1].cells * problem.axes[2].cells) + 1;
  EXPECT_NO_THROW(require_worth_sharing(problem, direct, 2));
  EXPECT_THROW(require_worth_sharing(problem, PressureSolver::multigrid, 2), UsageError);
}

TEST(ConvectionPlan, RefusesBadProblems) {
  Problem problem = channel();
  problem.viscosity = -1.0;
  EXPECT_THROW(Plan{problem}, UsageError);
}

TEST(ConvectionPlan, CountsFieldsStagesAndGhostRules) {
  Problem problem = channel();
  const Plan plan(problem);
  EXPECT_EQ(plan.fields(), 5);
  EXPECT_EQ(plan.ghosts().size(), 5U);
  EXPECT_EQ(plan.stages(), 1);
  problem.scheme = TimeScheme::runge_kutta;
  EXPECT_EQ(Plan(problem).stages(), 3);
}

TEST(ConvectionPlan, CountsTheBytesOfFieldsAndOfTheirStateOnTheHost) {
  Problem problem = channel();
  problem.solver = PressureSolver::multigrid;
  const Plan plan(problem);
  constexpr std::int64_t state_bytes = 64 * 6 * 7 * 5 * 8;
  EXPECT_GT(plan.device_bytes(), 3 * state_bytes) << "two flows and tendencies";
  EXPECT_GE(plan.footprint().host, plan.device_bytes() + state_bytes);
  problem.force[0] = uneven(0.3, 1.0);
  EXPECT_GT(Plan(problem).device_bytes(), plan.device_bytes()) << "sources are stored";
  problem.force[0] = nullptr;
  problem.precision = Precision::fp32;
  EXPECT_LT(Plan(problem).device_bytes(), plan.device_bytes());
}

TEST(ConvectionPlan, OnACpuFieldsAreReadWhereTheyAre) {
  const Plan plan(channel(), CeilingRule::none, {.host = 1 << 20, .fields = {0, 3}});
  EXPECT_TRUE(plan.copied_fields().empty());
  EXPECT_EQ(plan.footprint().host, Plan(channel(), CeilingRule::none).footprint().host + (1 << 20));
}

TEST(ConvectionPlan, AFlowTooLargeForTheMemoryIsRefusedBeforeItIsBuilt) {
  Problem problem = channel();
  for (AxisCells& axis : problem.axes) {
    axis.cells = 9000;
  }
  const Plan plan(problem);
  EXPECT_THROW(plan.require_memory(), UsageError);
  EXPECT_THROW(make_integrator(plan), UsageError);
}

}  // namespace
}  // namespace bankfull::convection
