#include "bankfull/workloads/convection/scalar_reference.hpp"

#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/reference_budget.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/warmer.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>

// Scalars are stored less a value of their own: what is added to all of one changes nothing else.
namespace bankfull::convection {
namespace {

/// In a box between walls along z, periodic along x and y.
Problem heated_layer(double lower, double upper) {
  Problem problem;
  problem.steps = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis] = {.upper = 1.0, .cells = axis == 1 ? 1 : 12, .periodic = axis < 2};
  }
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.buoyancy = {0.0, 0.0, 1.0};
  scalar.walls[2] = {WallScalar::fixed(lower), WallScalar::fixed(upper)};
  return problem;
}

double reference_of(const Problem& problem) {
  return reference_value(problem, problem.scalars.front());
}

TEST(ReferenceValue, IsTheMiddleOfWhatWallsFixWhereThatIsFarFromZero) {
  EXPECT_EQ(reference_of(heated_layer(300.0, 302.0)), 301.0);
  EXPECT_EQ(reference_of(heated_layer(-302.0, -300.0)), -301.0);
  EXPECT_EQ(reference_of(heated_layer(300.0, 300.0)), 300.0);
  Problem mixed = heated_layer(300.0, 0.0);
  mixed.scalars.front().walls[2][1] = WallScalar::mixed(2.0, 20300.0);
  EXPECT_EQ(reference_of(mixed), 300.0) << "surroundings may be far from the fluid";
  Problem sloped = heated_layer(300.0, 300.0);
  sloped.axes[0].upper = 4.0;
  sloped.scalars.front().walls[2][0].slope = {1.0, 0.0, 0.0};
  EXPECT_EQ(reference_of(sloped), 302.0);
  Problem varying = heated_layer(0.0, 0.0);
  for (WallScalar& wall : varying.scalars.front().walls[2]) {
    wall.varying = of_time("300 + sin(t)");
  }
  EXPECT_EQ(reference_of(varying), 300.0);
}

TEST(ReferenceValue, IsZeroWhereThereIsNothingToGain) {
  EXPECT_EQ(reference_of(heated_layer(0.5, -0.5)), 0.0);
  EXPECT_EQ(reference_of(heated_layer(1.0, 0.0)), 0.0);
  EXPECT_EQ(reference_of(heated_layer(1.0, 2.0)), 0.0);
  Problem unset = heated_layer(300.0, 300.0);
  unset.scalars.front().walls = {};
  EXPECT_EQ(reference_of(unset), 0.0);
}

/// A wall that lets little through keeps the fluid far from its surroundings.
TEST(ScalarsFarFromZero, AreHeatedByFarSurroundingsInSinglePrecisionToo) {
  Problem problem = heated_layer(300.0, 0.0);
  problem.viscosity = problem.scalars.front().diffusivity = 0.1;
  problem.scalars.front().walls[2][1] = WallScalar::mixed(1e-6, 20300.0);
  problem.scalars.front().initial = [](double, double, double) { return 300.0; };
  problem.time_step = {.courant = 0.4};
  const auto heated_by = [&problem](Precision precision) {
    Problem one = problem;
    one.precision = precision;
    const Plan plan(one);
    const auto flow = make_integrator(plan);
    flow->load(InitialFlow(plan.problem(), plan.grid()));
    flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
    while (flow->progress().time < 5.0) {
      flow->step();
    }
    return flow->diagnose().scalars.front().mean - 300.0;
  };
  const double expected = heated_by(Precision::fp64);
  EXPECT_GT(expected, 0.05);
  EXPECT_NEAR(heated_by(Precision::fp32), expected, 1e-3 * expected);
}

TEST(ReferenceValue, IsThatOfTheInitialStateWhereNoWallPrescribesOne) {
  Problem problem = heated_layer(0.0, 0.0);
  problem.scalars.front().walls[2] = {WallScalar::heated(5.0), WallScalar::heated(-5.0)};
  problem.scalars.front().initial = [](double x, double, double) { return x < 0.5 ? 290 : 310; };
  EXPECT_EQ(reference_of(problem), 300.0);
  problem.scalars.front().initial = [](double x, double, double) { return x < 0.5 ? 0 : 310; };
  EXPECT_EQ(reference_of(problem), 0.0);
  problem.scalars.front().initial = [](double x, double, double) { return 1.0 / (x - x); };
  EXPECT_EQ(reference_of(problem), 0.0);
}

TEST(ReferenceValue, IsTheLeastOfABoundedScalar) {
  Problem problem = heated_layer(5.0, 7.0);
  problem.scalars.front().advection = Advection::bounded;
  problem.scalars.front().initial = [](double, double, double z) { return z < 0.5 ? 4.0 : 9.0; };
  EXPECT_EQ(reference_of(problem), 4.0);
  problem.scalars.front().walls[2][1] = WallScalar::fixed(-1.0);
  EXPECT_EQ(reference_of(problem), -1.0);
  problem.scalars.front().walls = {};
  problem.scalars.front().initial = [](double x, double, double) { return x < 0.5 ? 1.0 : 0.0; };
  EXPECT_EQ(reference_of(problem), 0.0);
}

/// What walls add at time 0 counts there as it does here: else the pressure would carry all of it.
TEST(ReferenceValue, IsTakenOffTheBuoyancyToo) {
  for (const bool varies : {false, true}) {
    Problem problem = varies ? heated_layer(0.01, 0.0) : heated_layer(300.01, 300.0);
    for (WallScalar& wall : problem.scalars.front().walls[2]) {
      wall.varying = varies ? of_time("300 + sin(t)") : nullptr;
    }
    EXPECT_NEAR(reference_acceleration(stepped_problem(problem))[2], 0.0, 1e-12) << varies;
  }
}

class WarmerCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, WarmerCase, testing::ValuesIn(cases_to_warm()), case_name);

TEST_P(WarmerCase, IsTheSameFlowInDoublePrecision) {
  const Problem& cold = GetParam().problem;
  expect_same_but_for(300.0, cold, cold, rounding_of_300);
  Problem reference = cold;
  reference.schedule = Schedule::reference;
  expect_same_but_for(300.0, reference, reference, rounding_of_300);
}

TEST_P(WarmerCase, IsTheSameFlowInSinglePrecision) {
  const Problem cold = without_falling(GetParam().problem);
  Problem single = cold;
  single.precision = Precision::fp32;
  single.divergence = 1e-4;
  expect_same_but_for(far_in_single_precision, cold, single, 3e-5);
}

/// By definitions that know of no reference.
TEST_P(WarmerCase, HasTheBudgetsOfScalarsThemselves) {
  const Problem warm = warmer(GetParam().problem, 300.0);
  const Plan plan(warm);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(warm, plan.grid()));
  const Diagnosis found = flow->diagnose();
  Diagnosis expected = found;
  add_reference_budgets(warm, plan.grid(), {flow->state(), 0.0}, expected);
  for (std::size_t s = 0; s < found.scalars.size(); ++s) {
    const Diagnosis::OfScalar& one = found.scalars[s];
    const Diagnosis::OfScalar& other = expected.scalars[s];
    expect_close(one.wall_production, other.wall_production, 1e-9, warm.name + " by walls");
    expect_close(one.source_production, other.source_production, 1e-9, warm.name + " by sources");
    expect_close(one.dissipation, other.dissipation, 1e-9, warm.name + " dissipation");
  }
  expect_close(found.buoyancy_work, expected.buoyancy_work, 1e-9, warm.name + " buoyancy");
}

TEST_P(WarmerCase, ChoosesTheSameSteps) {
  Problem cold = without_falling(GetParam().problem);
  cold.end_time = 1.0;  // formulas of time have bounds until then
  cold.time_step.longest = 0.05;
  const StepState expected = chosen_steps(cold, 4);
  const StepState found = chosen_steps(warmer(cold, 300.0), 4);
  EXPECT_EQ(found.limit, expected.limit);
  EXPECT_NEAR(found.time, expected.time, 1e-9 * expected.time);
  EXPECT_NEAR(found.dt, expected.dt, 1e-9 * expected.dt);
}

/// The layer that fp32 would have stepped with three digits: walls a hundredth apart at 300.
TEST(ReferenceValue, LetsSinglePrecisionConvectAHundredthOfAKelvin) {
  const auto layer = [](double at, Precision precision) {
    constexpr double apart = 0.01;
    Problem problem = heated_layer(at + apart, at);
    problem.viscosity = problem.scalars.front().diffusivity = 1e-2;
    problem.scalars.front().buoyancy[2] = 1.0 / apart;
    problem.scalars.front().initial = [at](double x, double, double z) {
      return at + apart * (1.0 - z + std::sin(2.0 * std::numbers::pi * x) * z * (1.0 - z));
    };
    problem.precision = precision;
    problem.time_step.fixed = 0.02;
    const Diagnosis flow = reached_by_clock(problem, 400).diagnosis;
    return nusselt_of(*heat_path_of(problem), 1e-2, flow);
  };
  const Nusselt expected = layer(0.0, Precision::fp64);
  const Nusselt found = layer(300.0, Precision::fp32);
  EXPECT_GT(expected.volume, 1.2);
  EXPECT_NEAR(found.volume, expected.volume, 1e-4);
  EXPECT_NEAR(found.lower, expected.lower, 1e-4);
  EXPECT_NEAR(found.upper, expected.upper, 1e-4);
  EXPECT_NEAR(found.thermal, expected.thermal, 1e-4);
}

}  // namespace
}  // namespace bankfull::convection
