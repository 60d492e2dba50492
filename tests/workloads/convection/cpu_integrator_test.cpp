#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr double to_rounding = 1e-12;
constexpr double to_single_rounding = 3e-5;

class CpuIntegrator : public testing::TestWithParam<Case> {};

TEST_P(CpuIntegrator, AgreesWithTheReference) { expect_agreement_on_cpu(GetParam()); }

TEST_P(CpuIntegrator, ChoosesTheStepsOfTheReference) {
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  expect_same_steps(tuned, to_rounding);
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuIntegrator, testing::ValuesIn(all_cases()), case_name);

class CpuIntegratorStretchedStrongly : public testing::TestWithParam<Case> {};

TEST_P(CpuIntegratorStretchedStrongly, AgreesWithTheReference) {
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  tuned.solver = PressureSolver::direct;
  expect_agreement(GetParam(), tuned, rounding_of_strong_stretching);
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuIntegratorStretchedStrongly,
                         testing::ValuesIn(strongly_stretched_cases(all_cases())), case_name);

class CpuIntegratorVarying : public testing::TestWithParam<Case> {};

TEST_P(CpuIntegratorVarying, AgreesWithTheReference) {
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  expect_same_variation(tuned, to_rounding);
  tuned.precision = Precision::fp32;
  tuned.divergence = 1e-4;
  expect_same_variation(tuned, to_single_rounding);
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuIntegratorVarying, testing::ValuesIn(varying_cases()),
                         case_name);

class CpuIntegratorTeam : public testing::TestWithParam<Case> {};

TEST_P(CpuIntegratorTeam, ChangesNoBit) {
  for (const PressureSolver solver : {PressureSolver::automatic, PressureSolver::multigrid}) {
    Problem problem = GetParam().problem;
    problem.solver = solver;
    const Reached alone = reached(problem, 3);
    for (const int threads : {2, 3}) {
      problem.threads = threads;
      const Reached together = reached(problem, 3);
      EXPECT_EQ(together.state.fields, alone.state.fields) << threads << " threads";
      EXPECT_EQ(together.diagnosis.kinetic_energy, alone.diagnosis.kinetic_energy);
    }
  }
}

/// Teams larger than the machine are slow: every seventh case, which is of every kind.
std::vector<Case> cases_of_teams() {
  const std::vector<Case> all = all_cases();
  std::vector<Case> some;
  for (std::size_t n = 0; n < all.size(); n += 7) {
    some.push_back(all[n]);
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuIntegratorTeam, testing::ValuesIn(cases_of_teams()), case_name);

class CpuIntegratorSchedule : public testing::TestWithParam<Case> {};

TEST_P(CpuIntegratorSchedule, TimedStagesAreTheSameStages) {
  const Problem& problem = GetParam().problem;
  const FlowState start = initial_state(problem, Grid(problem.axes));
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  const std::unique_ptr<Integrator> timed = make_integrator(Plan(problem));
  flow->load(start);
  timed->load(start);
  const Stage stage{.gamma = problem.time_step.fixed};
  flow->advance(stage);
  const StageSeconds seconds = timed->advance_timed(stage);
  EXPECT_EQ(timed->state().fields, flow->state().fields);
  EXPECT_GT(seconds[static_cast<std::size_t>(StagePart::advance)], 0.0);
}

TEST_P(CpuIntegratorSchedule, LoadingForgetsWhatWasBefore) {
  const Problem& problem = GetParam().problem;
  const FlowState start = initial_state(problem, Grid(problem.axes));
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(start);
  const double dt = problem.time_step.fixed;
  advance_steps(*flow, problem.scheme, {dt, dt});
  const FlowState once = flow->state();
  flow->load(start);
  advance_steps(*flow, problem.scheme, {dt, dt});
  EXPECT_EQ(flow->state().fields, once.fields);
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuIntegratorSchedule, testing::ValuesIn(larger_cases()),
                         case_name);

/// A layer heated from below with a roll, whose temperatures are about `mean`.
Problem roll(double mean, Precision precision) {
  Problem problem;
  problem.axes[0] = {.upper = 2.0, .cells = 32, .periodic = true};
  problem.axes[1] = {.upper = 1.0, .cells = 1, .periodic = true};
  problem.axes[2] = {.upper = 1.0, .cells = 16};
  problem.viscosity = std::sqrt(0.71 / 2e4);
  problem.steps = 1;
  problem.precision = precision;
  problem.divergence = 1e-6;
  problem.initial_velocity[0] = [](double x, double, double z) {
    return 0.1 * std::sin(3.14159 * x) * std::cos(3.14159 * z);
  };
  problem.scalars.push_back(
      {.diffusivity = problem.viscosity / 0.71,
       .buoyancy = {0.0, 0.0, 1.0},
       .initial = [mean](double, double, double z) { return mean + 0.5 - z; }});
  problem.scalars.front().walls[2] = {WallScalar::fixed(mean + 0.5), WallScalar::fixed(mean - 0.5)};
  return problem;
}

Diagnosis after_steps(const Problem& problem, int steps) {
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  advance_steps(*flow, problem.scheme, std::vector<double>(static_cast<std::size_t>(steps), 0.02));
  return flow->diagnose();
}

TEST(SinglePrecision, FollowsDoubleThroughThousandsOfSteps) {
  const Diagnosis twice = after_steps(roll(0.0, Precision::fp64), 3000);
  const Diagnosis once = after_steps(roll(0.0, Precision::fp32), 3000);
  EXPECT_GT(twice.kinetic_energy, 0.01);
  EXPECT_NEAR(once.kinetic_energy, twice.kinetic_energy, 1e-5 * twice.kinetic_energy);
  EXPECT_LT(once.divergence, 1e-5);
}

TEST(SinglePrecision, AConstantAddedToTheTemperatureIsCarriedByTheWalls) {
  const double without = after_steps(roll(0.0, Precision::fp32), 300).divergence;
  EXPECT_LT(after_steps(roll(10.0, Precision::fp32), 300).divergence, 3.0 * without);
}

/// A layer with steps by the flow and multigrid, in units of these lengths and times.
Problem layer_in_units(double length, double time, TimeScheme scheme) {
  Problem problem = roll(0.0, Precision::fp64);
  problem.scheme = scheme;
  problem.solver = PressureSolver::multigrid;
  problem.divergence = 1e-7;
  problem.axes[2].stretching = 2.0;
  const double speed = length / time;
  for (AxisCells& axis : problem.axes) {
    axis.upper *= length;
  }
  problem.viscosity *= length * speed;
  problem.scalars.front().diffusivity *= length * speed;
  problem.scalars.front().buoyancy[2] *= speed / time;
  problem.scalars.front().initial = [length](double, double, double z) { return 0.5 - z / length; };
  problem.initial_velocity[0] = [length, speed](double x, double, double z) {
    return 0.1 * speed * std::sin(3.14159 * x / length) * std::cos(3.14159 * z / length);
  };
  return problem;
}

/// The cycles in the last stage of each of some steps.
std::vector<int> cycles_of_steps(const Problem& problem) {
  const Plan plan(problem);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(problem, plan.grid()));
  std::vector<int> cycles{flow->pressure_outcome().cycles};
  flow->set_rule(step_rule(problem, plan.grid(), flow->diagnose()));
  for (int n = 0; n < 12; ++n) {
    flow->step();
    EXPECT_TRUE(flow->pressure_outcome().converged);
    EXPECT_LE(flow->diagnose().divergence * flow->progress().pace, 1.01 * problem.divergence);
    cycles.push_back(flow->pressure_outcome().cycles);
  }
  return cycles;
}

/// Powers of two scale a run bit by bit.
TEST(MultigridTolerance, DoesNotDependOnUnits) {
  for (const TimeScheme scheme : {TimeScheme::adams_bashforth, TimeScheme::runge_kutta}) {
    const std::vector<int> cycles = cycles_of_steps(layer_in_units(1.0, 1.0, scheme));
    EXPECT_GT(*std::max_element(cycles.begin(), cycles.end()), 0);
    EXPECT_EQ(cycles_of_steps(layer_in_units(0x1p-10, 1.0, scheme)), cycles);
    EXPECT_EQ(cycles_of_steps(layer_in_units(1.0, 0x1p+14, scheme)), cycles);
    EXPECT_EQ(cycles_of_steps(layer_in_units(0x1p+7, 0x1p-9, scheme)), cycles);
  }
}

/// A layer at rest, whose pressure stays: times the length of a stage it is what the stage before
/// had, times how much longer this one is.
TEST(MultigridStart, KnowsTheLengthOfStages) {
  for (const TimeScheme scheme : {TimeScheme::adams_bashforth, TimeScheme::runge_kutta}) {
    Problem problem = roll(0.0, Precision::fp64);
    problem.scheme = scheme;
    problem.solver = PressureSolver::multigrid;
    problem.divergence = 1e-8;
    problem.time_step.fixed = 0.01;
    problem.initial_velocity = {};
    const Plan plan(problem);
    const std::unique_ptr<Integrator> flow = make_integrator(plan);
    flow->load(initial_state(problem, plan.grid()));
    flow->set_rule(step_rule(problem, plan.grid(), flow->diagnose()));
    flow->step();
    flow->step();
    // What is left within the tolerance is multiplied, too, and may now and then be beyond it. From
    // a pressure of another length each solve takes several.
    int cycles = 0;
    for (int n = 0; n < 6; ++n) {
      flow->step();
      cycles += flow->pressure_outcome().cycles;
    }
    EXPECT_LE(cycles, 2) << to_string(scheme);
  }
}

TEST(CpuIntegratorDiagnosis, AFlowThatIsNotFiniteIsSeen) {
  const Problem problem = larger_cases().front().problem;
  FlowState start = initial_state(problem, Grid(problem.axes));
  start.fields.back()[start.fields.back().size() / 2] = HUGE_VAL;
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(start);
  EXPECT_FALSE(flow->diagnose().finite());
}

/// |u| / h of velocity `axis` on the lower face of a cell, h of the narrower cell beside the face.
double rate_on_face(const Plan& plan, const FlowState& flow, int axis,
                    const std::array<std::int64_t, 3>& index) {
  const Extents n = plan.grid().extents();
  const GridAxis& along = plan.grid().axis(axis);
  const std::int64_t cell = index[static_cast<std::size_t>(axis)];
  const std::int64_t before = cell > 0 ? cell - 1 : (along.cells.periodic ? along.count() - 1 : 0);
  const auto element = static_cast<std::size_t>((index[0] * n.nj + index[1]) * n.nk + index[2]);
  return std::abs(flow.fields[static_cast<std::size_t>(axis)][element]) /
         std::min(along.width(before), along.width(cell));
}

/// As docs/convection.md defines it, without the step. Every face is the lower one of a cell, but
/// for those on upper walls, through which nothing moves.
double courant_rate_by_definition(const Plan& plan, const FlowState& flow) {
  double largest = 0.0;
  for_cells(box_of(plan.grid().extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double sum = 0.0;
    for (const int axis : storage_axes) {
      sum += rate_on_face(plan, flow, axis, {i, j, k});
    }
    largest = std::max(largest, sum);
  });
  return largest;
}

/// Fast in one corner, beside the upper walls or ends, or beside the lower ones.
Problem fast_in_a_corner(FlowEnds ends, bool upper) {
  Problem problem = busy_problem({9, 7, 8}, {ends, FlowEnds::periodic, ends}, 1, 0);
  problem.noise = 0.0;
  if (ends != FlowEnds::periodic) {
    stretch(problem, 0, 1.5);
    stretch(problem, 2, 1.5);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.initial_velocity[axis] = [=, axes = problem.axes](double x, double y, double z) {
      double distance = 0.0;
      for (const auto& [place, cells] : {std::pair{x, axes[0]}, std::pair{z, axes[2]}}) {
        const double length = cells.upper - cells.lower;
        distance += (upper ? cells.upper - place : place - cells.lower) / length;
      }
      return (1.0 + 0.3 * static_cast<double>(axis) + 0.1 * y) * std::exp(-8.0 * distance);
    };
  }
  return problem;
}

TEST(CpuIntegratorRates, AreThoseOfTheDefinition) {
  for (const FlowEnds ends : {FlowEnds::no_slip, FlowEnds::free_slip, FlowEnds::periodic}) {
    for (const bool upper : {false, true}) {
      for (const Schedule schedule : {Schedule::tuned, Schedule::reference}) {
        Problem problem = fast_in_a_corner(ends, upper);
        problem.schedule = schedule;
        const Plan plan(problem);
        const std::unique_ptr<Integrator> flow = make_integrator(plan);
        flow->load(initial_state(problem, plan.grid()));
        flow->set_rule(step_rule(problem, plan.grid(), flow->diagnose()));
        for (int step = 0; step < 3; ++step) {
          const double expected = courant_rate_by_definition(plan, flow->state());
          EXPECT_NEAR(flow->diagnose().courant_rate, expected, to_rounding * expected);
          flow->step();
          const double rate = flow->progress().rates.advection;
          // The first step, of Heun's method, has another flow in between, which counts too.
          EXPECT_NEAR(rate, expected, (step == 1 ? 0.02 : to_rounding) * expected);
          EXPECT_GE(rate, (1.0 - to_rounding) * expected);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bankfull::convection
