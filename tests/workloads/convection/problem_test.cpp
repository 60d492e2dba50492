#include "bankfull/workloads/convection/problem.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/point.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace bankfull::convection {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Problem good_problem() {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::no_slip, FlowEnds::periodic, FlowEnds::free_slip}, 2, 0);
  problem.time_step.fixed = 0.001;
  return problem;
}

TEST(ConvectionProblem, AcceptsAllCases) {
  EXPECT_NO_THROW(good_problem().validate());
  for (const Case& one : cases()) {
    EXPECT_NO_THROW(one.problem.validate()) << one.name;
  }
}

/// `change` makes a good problem invalid: the error must name `what`, and a remedy.
void expect_refused(const std::string& what, const std::function<void(Problem&)>& change) {
  SCOPED_TRACE(what);
  Problem problem = good_problem();
  change(problem);
  try {
    problem.validate();
    ADD_FAILURE() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(what));
    EXPECT_THAT(error.what(), testing::HasSubstr("; ")) << "no remedy";
  }
}

TEST(ConvectionProblem, NamesWhatIsWrongWithAxes) {
  expect_refused("0 cells along x", [](Problem& p) { p.axes[0].cells = 0; });
  expect_refused("1048577 cells along z", [](Problem& p) { p.axes[2].cells = (1 << 20) + 1; });
  expect_refused("lower end of y is nan", [](Problem& p) { p.axes[1].lower = not_a_number; });
  expect_refused("y goes from 0.5 to 0.5",
                 [](Problem& p) { p.axes[1].lower = p.axes[1].upper = 0.5; });
  expect_refused("stretching of z is -1", [](Problem& p) { p.axes[2].stretching = -1.0; });
  expect_refused("stretching of z is 6", [](Problem& p) { p.axes[2].stretching = 6.0; });
  expect_refused("y is stretched and periodic", [](Problem& p) { p.axes[1].stretching = 1.0; });
}

TEST(ConvectionProblem, NamesNumbersThatAreOutOfRange) {
  expect_refused("viscosity is -1", [](Problem& p) { p.viscosity = -1.0; });
  expect_refused("rotation is inf", [](Problem& p) { p.rotation[1] = HUGE_VAL; });
  expect_refused("rotation is 2e+30; use a number of up to 1e+30",
                 [](Problem& p) { p.rotation[2] = 2e30; });
  expect_refused("wall value of scalar 0 is -1e+300",
                 [](Problem& p) { p.scalars[0].walls[0][1] = WallScalar::fixed(-1e300); });
  expect_refused("noise is -0.1", [](Problem& p) { p.noise = -0.1; });
  expect_refused("-1 steps", [](Problem& p) { p.steps = -1; });
  expect_refused("the run has no end", [](Problem& p) { p.steps = 0; });
  expect_refused("divergence that multigrid may leave is 0",
                 [](Problem& p) { p.divergence = 0.0; });
  expect_refused("would leave a divergence of 0.002", [](Problem& p) { p.divergence = 0.002; });
  expect_refused("0 threads", [](Problem& p) { p.threads = 0; });
}

TEST(ConvectionProblem, NamesWhatIsWrongWithScalars) {
  expect_refused("13 scalars; use at most 12",
                 [](Problem& p) { p.scalars.resize(max_scalars + 1); });
  expect_refused("a scalar has no name", [](Problem& p) { p.scalars[0].name.clear(); });
  expect_refused("diffusivity of scalar 1 is 0",
                 [](Problem& p) { p.scalars[1].diffusivity = 0.0; });
  expect_refused("buoyancy of scalar 0 is nan",
                 [](Problem& p) { p.scalars[0].buoyancy[2] = not_a_number; });
  expect_refused("flux of scalar 0 is nan",
                 [](Problem& p) { p.scalars[0].walls[0][1] = WallScalar::heated(not_a_number); });
  expect_refused("wall transfer of scalar 1 is -2",
                 [](Problem& p) { p.scalars[1].walls[0][1] = WallScalar::mixed(-2.0, 1.0); });
}

TEST(ConvectionProblem, NamesFormulasOfTimeWithoutBounds) {
  expect_refused(
      "formula of t of a wall's velocity across x has no bound that can be computed for the "
      "times 0 to 0.004",
      [](Problem& p) { p.walls[0][1].varying[1] = of_time("1/t"); });
  expect_refused("formula of t of a wall's scalar 0 has no bound",
                 [](Problem& p) { p.scalars[0].walls[0][1].varying = of_time("ln(-1 - t)"); });
  expect_refused(
      "formula of t of the source of scalar 1 has no bound that can be computed for all times",
      [](Problem& p) {
        p.scalars[1].source_factor = of_time("t");
        p.time_step = {};
      });
  expect_refused("formula of t of the acceleration along y has no bound",
                 [](Problem& p) { p.force_factor[1] = of_time("tan(1000*t)"); });
  expect_refused("a formula of t has no part in how long steps are chosen by a Courant number",
                 [](Problem& p) {
                   p.force_factor[1] = of_time("sin(t)");
                   p.time_step = {};
                 });
}

TEST(ConvectionProblem, NamesWhatIsWrongWithWalls) {
  expect_refused("a wall across x moves along x with time",
                 [](Problem& p) { p.walls[0][1].varying[0] = of_time("t"); });
  expect_refused("a wall across z moves along x with time",
                 [](Problem& p) { p.walls[2][1].varying[0] = of_time("t"); });
  expect_refused("slip length of a wall is -0.1",
                 [](Problem& p) { p.walls[0][1].slip_length = -0.1; });
  expect_refused("a free-slip wall across z has a slip length of 2",
                 [](Problem& p) { p.walls[2][0].slip_length = 2.0; });
  expect_refused("a wall across x moves along x with 2", [](Problem& p) {
    p.walls[0][1].velocity = {2.0, 0.0, 0.0};
  });
  expect_refused("a free-slip wall across z moves", [](Problem& p) {
    p.walls[2][0].velocity = {1.0, 0.0, 0.0};
  });
}

TEST(ConvectionProblem, NamesChoicesThatExcludeEachOther) {
  expect_refused(
      "implicit diffusion (walls) beside the bounded advection of scalar 1; use \"none\"",
      [](Problem& p) {
        p.implicit_diffusion = ImplicitDiffusion::walls;
        p.scalars[1].advection = Advection::bounded;
      });
  expect_refused("reference schedule on a GPU", [](Problem& p) {
    p.schedule = Schedule::reference;
    p.device = Device::cuda(0);
  });
  expect_refused("reference schedule in fp32", [](Problem& p) {
    p.schedule = Schedule::reference;
    p.precision = Precision::fp32;
  });
}

TEST(ConvectionProblem, NamesWhatIsWrongWithTheStep) {
  expect_refused("the time step is -1", [](Problem& p) { p.time_step.fixed = -1.0; });
  expect_refused("Courant number is 1.2", [](Problem& p) {
    p.time_step.fixed = 0.0;
    p.time_step.courant = 1.2;
  });
  expect_refused("where diffusion becomes unstable", [](Problem& p) { p.time_step.fixed = 10.0; });
}

TEST(ConvectionProblem, NamesTheLimitOfTheStep) {
  Problem problem = good_problem();
  const double limit = longest_diffusive_step(problem, Grid(problem.axes));
  problem.time_step.fixed = limit;
  EXPECT_NO_THROW(problem.validate());
  problem.time_step.fixed = 1.001 * limit;
  EXPECT_THROW(problem.validate(), UsageError);
  // Runge and Kutta's scheme is stable with it.
  problem.scheme = TimeScheme::runge_kutta;
  EXPECT_NO_THROW(problem.validate());
}

TEST(ConvectionProblem, NamesOfItsChoices) {
  EXPECT_EQ(to_string(TimeScheme::adams_bashforth), "adams-bashforth");
  EXPECT_EQ(to_string(TimeScheme::runge_kutta), "runge-kutta");
  EXPECT_EQ(to_string(PressureSolver::automatic), "auto");
  EXPECT_EQ(to_string(PressureSolver::direct), "direct");
  EXPECT_EQ(to_string(PressureSolver::multigrid), "multigrid");
  EXPECT_EQ(to_string(Schedule::tuned), "tuned");
  EXPECT_EQ(to_string(Schedule::reference), "reference");
}

TEST(DiffusiveStep, DiffusionInOneDimensionByItsTextbookLimit) {
  // dt <= h^2 / (4 kappa) for Adams-Bashforth 2: half of Euler's limit.
  Problem problem;
  problem.axes[0] = {.cells = 1, .periodic = true};
  problem.axes[1] = {.cells = 1, .periodic = true};
  problem.axes[2] = {.cells = 10};
  problem.viscosity = 0.5;
  problem.scalars.push_back({.diffusivity = 2.0});
  EXPECT_DOUBLE_EQ(longest_diffusive_step(problem, Grid(problem.axes)), 0.01 / 8.0);
}

}  // namespace
}  // namespace bankfull::convection
