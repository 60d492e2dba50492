#include "bankfull/workloads/convection/budget.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/resolution.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr double to_a_few_bits = 1e-13;

class BoundedCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, BoundedCase, testing::ValuesIn(bounded_cases(all_cases())),
                         case_name);

TEST_P(BoundedCase, AgreesWithTheReference) { expect_agreement_on_cpu(GetParam()); }

TEST_P(BoundedCase, ChoosesTheStepsOfTheReference) {
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  expect_same_steps(tuned, 1e-12);
}

TEST_P(BoundedCase, ATeamChangesNoBit) {
  Problem problem = GetParam().problem;
  const Reached alone = reached(problem, 2);
  problem.threads = 3;
  const Reached together = reached(problem, 2);
  EXPECT_EQ(together.state.fields, alone.state.fields);
  for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
    EXPECT_EQ(together.diagnosis.scalars[s].corrected_variance,
              alone.diagnosis.scalars[s].corrected_variance);
  }
}

TEST_P(BoundedCase, LoadingForgetsWhatWasBefore) {
  for (const Schedule schedule : {Schedule::tuned, Schedule::reference}) {
    Problem problem = GetParam().problem;
    problem.schedule = schedule;
    const FlowState start = initial_state(problem, Grid(problem.axes));
    const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
    const double dt = problem.time_step.fixed;
    flow->load(start);
    advance_steps(*flow, problem.scheme, {dt, dt});
    const FlowState once = flow->state();
    const double corrected = flow->diagnose().scalars.front().corrected_variance;
    flow->load(start);
    advance_steps(*flow, problem.scheme, {dt, dt});
    EXPECT_EQ(flow->state().fields, once.fields);
    EXPECT_EQ(flow->diagnose().scalars.front().corrected_variance, corrected);
  }
}

/// No scalar is heated, and steps are as long as they may be.
Problem without_heat(Problem problem) {
  for (Scalar& scalar : problem.scalars) {
    scalar.advection = Advection::bounded;
    scalar.diffusivity = std::max(1e-6, 0.1 * scalar.diffusivity);
    scalar.source = nullptr;
    for (auto& walls : scalar.walls) {
      for (WallScalar& wall : walls) {
        wall = wall.is_flux ? WallScalar::insulating() : wall;
      }
    }
  }
  problem.time_step = {.courant = largest_courant(problem.scheme)};
  return problem;
}

/// How far any scalar is outside the values that it began with and has on walls, over their range.
double farthest_out(const Problem& problem, int steps) {
  const Plan plan(problem);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  ResolutionWatch watch(plan.problem(), plan.grid(), flow->diagnose());
  double most = 0.0;
  for (int n = 0; n < steps; ++n) {
    flow->step();
    const Diagnosis found = flow->diagnose();
    EXPECT_TRUE(found.finite());
    const Resolution resolution = watch.add(flow->progress().time, found, {});
    most = std::max(most, resolution.overshoot.value_or(HUGE_VAL));
  }
  return most;
}

/// The direct solver leaves a divergence of rounding, and a value of 1 leaves its bounds by at most
/// dt |div u| in a step.
TEST_P(BoundedCase, StaysWithinItsBounds) {
  Problem problem = without_heat(GetParam().problem);
  for (const TimeScheme scheme : {TimeScheme::adams_bashforth, TimeScheme::runge_kutta}) {
    problem.scheme = scheme;
    problem.time_step.courant = largest_courant(scheme);
    EXPECT_LE(farthest_out(problem, 30), to_a_few_bits) << to_string(scheme);
  }
}

TEST_P(BoundedCase, StaysWithinItsBoundsInSinglePrecision) {
  Problem problem = without_heat(GetParam().problem);
  problem.precision = Precision::fp32;
  problem.divergence = 1e-4;
  EXPECT_LE(farthest_out(problem, 30), 3e-5);
}

/// Multigrid leaves more of it: 1e-4 of a cell's volume in a step.
TEST_P(BoundedCase, LeavesItsBoundsByNoMoreThanDivergence) {
  Problem problem = without_heat(GetParam().problem);
  problem.solver = PressureSolver::multigrid;
  problem.divergence = 1e-4;
  constexpr int steps = 10;
  EXPECT_LE(farthest_out(problem, steps), 4.0 * steps * problem.divergence);
}

/// Scalars that are carried without a change of the flow: uniformly, through periodic ends.
Problem carried(std::int64_t cells, TimeScheme scheme, const PointFunction& initial) {
  Problem problem;
  for (AxisCells& axis : problem.axes) {
    axis = {.upper = 1.0, .cells = cells, .periodic = true};
  }
  problem.axes[1].cells = 1;
  problem.viscosity = 0.0;
  problem.initial_velocity[0] = [](double, double, double) { return 1.0; };
  problem.initial_velocity[2] = [](double, double, double) { return -1.0; };
  problem.scalars.push_back({.name = "dye", .diffusivity = 1e-9, .initial = initial});
  problem.scheme = scheme;
  problem.time_step.fixed = 0.25 / static_cast<double>(2 * cells);
  problem.steps = 8 * cells;
  return problem;
}

double block(double x, double /*y*/, double z) {
  return x > 0.25 && x < 0.75 && z > 0.25 && z < 0.75 ? 1.0 : 0.0;
}

Problem with_advection(Problem problem, Advection advection) {
  for (Scalar& scalar : problem.scalars) {
    scalar.advection = advection;
  }
  return problem;
}

Reached once_around(const Problem& problem) {
  return reached_by_clock(problem, static_cast<int>(problem.steps));
}

class CarriedBlock : public testing::TestWithParam<TimeScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, CarriedBlock,
                         testing::Values(TimeScheme::adams_bashforth, TimeScheme::runge_kutta));

TEST_P(CarriedBlock, StaysBetweenZeroAndOneWhereCentredFluxesOvershoot) {
  const Problem problem = carried(32, GetParam(), block);
  const Diagnosis::OfScalar centred =
      once_around(with_advection(problem, Advection::centred)).diagnosis.scalars.front();
  EXPECT_GT(centred.max, 1.1);
  EXPECT_LT(centred.min, -0.1);
  EXPECT_EQ(centred.corrected_variance, 0.0);
  const Diagnosis::OfScalar bounded =
      once_around(with_advection(problem, Advection::bounded)).diagnosis.scalars.front();
  EXPECT_LE(bounded.max, 1.0 + to_a_few_bits);
  EXPECT_GE(bounded.min, -to_a_few_bits);
  EXPECT_GT(bounded.max, 0.95);
  EXPECT_NEAR(bounded.mean, 0.25, 1e-14);
  EXPECT_LT(bounded.corrected_variance, 0.0);
}

/// By nearly as much as it would be without sources.
TEST_P(CarriedBlock, KeepsTheSumOfWhatItsSourcesGive) {
  Problem problem = with_advection(carried(16, GetParam(), block), Advection::bounded);
  problem.scalars.front().source = uneven(1.0, 0.5);
  problem.scalars.front().source_factor = of_time("cos(3*t)");
  Problem centred = with_advection(problem, Advection::centred);
  const Diagnosis::OfScalar found = once_around(problem).diagnosis.scalars.front();
  EXPECT_NEAR(found.mean, once_around(centred).diagnosis.scalars.front().mean, 1e-14);
  EXPECT_LT(found.corrected_variance, 0.0);
}

double smooth_hill(double x, double /*y*/, double z) {
  return std::sin(2.0 * std::numbers::pi * x) + std::cos(2.0 * std::numbers::pi * z);
}

/// The mean of |T - exact| over the part of the cells where the hill is steep: away from extremes,
/// where no scheme that keeps bounds is of second order.
double error_on_slopes(const Problem& problem) {
  const Reached found = once_around(problem);
  const FlowState start = initial_state(problem, Grid(problem.axes));
  double sum = 0.0;
  double count = 0.0;
  const auto cells = static_cast<double>(problem.axes[0].cells);
  for (std::size_t n = 0; n < start.fields[3].size(); ++n) {
    const double exact = start.fields[3][n];
    if (std::abs(exact) < 1.0) {
      sum += std::abs(found.state.fields[3][n] - exact);
      count += 1.0;
    }
  }
  EXPECT_GT(count, 0.2 * cells * cells);
  return sum / count;
}

TEST_P(CarriedBlock, SmoothSlopesAreOfSecondOrder) {
  std::vector<double> errors;
  for (const std::int64_t cells : {24, 48, 96}) {
    const Problem problem = carried(cells, GetParam(), smooth_hill);
    errors.push_back(error_on_slopes(with_advection(problem, Advection::bounded)));
  }
  EXPECT_GT(std::log2(errors[0] / errors[1]), 1.85);
  EXPECT_GT(std::log2(errors[1] / errors[2]), 1.85);
}

/// A stratified layer whose flow is too slow to make extremes.
TEST_P(CarriedBlock, WhereThereIsRoomEveryBitIsThatOfCentredFluxes) {
  Problem problem =
      busy_problem({8, 6, 7}, {FlowEnds::periodic, FlowEnds::free_slip, FlowEnds::no_slip}, 1, 0);
  problem.scheme = GetParam();
  Scalar& scalar = problem.scalars.front();
  scalar.buoyancy = {0.0, 0.0, 1.0};
  scalar.walls[1] = {WallScalar::insulating(), WallScalar::insulating()};
  // From 0 on: both are stored less that.
  scalar.walls[2] = {WallScalar::fixed(0.0), WallScalar::fixed(1.0)};
  scalar.initial = [](double, double, double z) { return 0.5 + z; };
  for (PointFunction& velocity : problem.initial_velocity) {
    velocity = uneven(0.02, 1.0);
  }
  problem.noise = 0.0;
  const Reached centred = reached(problem, 3);
  const Reached bounded = reached(with_advection(problem, Advection::bounded), 3);
  EXPECT_EQ(bounded.state.fields, centred.state.fields);
  EXPECT_EQ(bounded.diagnosis.scalars.front().corrected_variance, 0.0);
}

/// The budget of a whole step: what has become of T^2 / 2 is the mean of old and new values times
/// what centred fluxes do, and the part that keeps the bounds.
TEST_P(BoundedCase, TheVarianceChangesByCentredFluxesAndByTheCorrection) {
  const Problem problem = with_advection(GetParam().problem, Advection::bounded);
  const Grid grid(problem.axes);
  for (const Schedule schedule : {Schedule::tuned, Schedule::reference}) {
    Problem bounded = problem;
    bounded.schedule = schedule;
    const std::unique_ptr<Integrator> flow = make_integrator(Plan(bounded));
    const std::unique_ptr<Integrator> centred =
        make_integrator(Plan(with_advection(bounded, Advection::centred)));
    const Stage stage{.gamma = problem.time_step.fixed};
    flow->load(initial_state(problem, grid));
    centred->load(initial_state(problem, grid));
    const FlowState before = flow->state();
    flow->advance(stage);
    centred->advance(stage);
    const FlowState after = flow->state();
    const FlowState carried_by_centred = centred->state();
    const Diagnosis found = flow->diagnose();
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      std::vector<double> twice_mean = before.fields[3 + s];
      std::vector<double> change = after.fields[3 + s];
      std::vector<double> by_centred = carried_by_centred.fields[3 + s];
      for (std::size_t n = 0; n < twice_mean.size(); ++n) {
        change[n] -= twice_mean[n];
        by_centred[n] -= twice_mean[n];
        twice_mean[n] += after.fields[3 + s][n];
      }
      const double all = 0.5 * inner_product(grid, 3, twice_mean, change) / grid.volume();
      const double explained = 0.5 * inner_product(grid, 3, twice_mean, by_centred) / grid.volume();
      EXPECT_NEAR(found.scalars[s].corrected_variance, all - explained,
                  1e-12 * std::max(1e-3, std::abs(all)))
          << to_string(schedule);
    }
  }
}

/// With a front the time scheme adds next to nothing.
TEST(BoundedBudget, NumericalDissipationIsSeparateFromTheTimeScheme) {
  const Problem problem =
      with_advection(carried(32, TimeScheme::adams_bashforth, block), Advection::bounded);
  const Plan plan(problem);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(problem, plan.grid()));
  flow->set_rule(step_rule(problem, plan.grid(), flow->diagnose()));
  BudgetHistory history;
  std::vector<double> squares;
  for (int step = 1; step <= 40; ++step) {
    flow->step();
    history.add(step, flow->progress().time, flow->diagnose());
    squares.push_back(flow->diagnose().scalars.front().mean_square);
  }
  const TimeSchemeBudget found = history.time_scheme().value_or(TimeSchemeBudget{});
  ASSERT_EQ(found.scalars.size(), 1U);
  const double loss = -0.5 * (squares[39] - squares[37]) / (2.0 * problem.time_step.fixed);
  const double diffused = flow->diagnose().scalars.front().dissipation;
  const double numerical = found.numerical_dissipation.front();
  EXPECT_GT(numerical, 1e3 * diffused);
  EXPECT_NEAR(numerical + diffused - found.scalars.front(), loss, 1e-6 * loss);
  EXPECT_LT(std::abs(found.scalars.front()), 0.2 * numerical);
}

TEST(BoundedSteps, AreLimitedByTheFlowOutOfCells) {
  // Three velocities, each through a face of its own of one cell, leave it three times as fast as
  // through the lower faces of any.
  StepRule rule{.scheme = TimeScheme::adams_bashforth, .courant = 0.8, .steps = 10.0};
  rule.slowest_diffusion = 1e6;
  rule.min_diffusivity = 1e6;
  const FlowRates rates{.advection = 1.0, .exchange = 3.0};
  StepState next = next_step(rule, {}, rates);
  EXPECT_EQ(next.limit, StepLimit::bounds);
  EXPECT_DOUBLE_EQ(next.dt, 0.9 / 3.0);
  rule.scheme = TimeScheme::runge_kutta;
  rule.courant = 1.7;
  next = next_step(rule, {}, rates);
  EXPECT_EQ(next.limit, StepLimit::bounds);
  EXPECT_DOUBLE_EQ(next.dt, 0.9 / 3.0 * 15.0 / 8.0);
  rule.fixed = 1.0;
  EXPECT_DOUBLE_EQ(next_step(rule, {}, rates).min_margin, 15.0 / 8.0 / 3.0);
}

/// A cell at the corner of a block, which the flow leaves through two faces and enters from where
/// there is nothing, is empty after the longest stage.
TEST(BoundedSteps, LongerOnesLeaveTheBounds) {
  const Problem problem =
      with_advection(carried(32, TimeScheme::adams_bashforth, block), Advection::bounded);
  for (const double part : {0.99, 1.01, 1.6}) {
    const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
    flow->load(initial_state(problem, Grid(problem.axes)));
    flow->set_rule(step_rule(problem, Grid(problem.axes), flow->diagnose()));
    flow->step();
    const double longest = 1.0 / flow->progress().rates.exchange;
    EXPECT_NEAR(longest, 1.0 / 64.0, 1e-6);
    flow->load(initial_state(problem, Grid(problem.axes)));
    flow->advance({.gamma = part * longest});
    EXPECT_NEAR(flow->diagnose().scalars.front().min, std::min(0.0, 1.0 - part), 1e-6);
  }
}

TEST(BoundedPlan, CountsWhatBoundedScalarsTake) {
  Problem problem =
      busy_problem({64, 6, 7}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 2, 0);
  problem.time_step = {};
  const std::int64_t field = std::int64_t{64} * 6 * 7 * 8;
  const std::int64_t none = Plan(problem).device_bytes();
  problem.scalars[1].advection = Advection::bounded;
  const std::int64_t one = Plan(problem).device_bytes();
  EXPECT_GE(one - none, 8 * field);
  problem.scalars[0].advection = Advection::bounded;
  EXPECT_GE(Plan(problem).device_bytes() - one, 3 * field);
  EXPECT_LT(Plan(problem).device_bytes() - one, 8 * field);
}

}  // namespace
}  // namespace bankfull::convection
