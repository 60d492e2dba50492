#include "bankfull/core/field/box.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/step_ahead.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/kept_state.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

// Steps that leave their projections to the next ones against those of which each is completed.

namespace bankfull::convection {
namespace {

using Look = std::function<std::vector<double>(Integrator&)>;

/// Layers between walls of every kind, stretched or not, and boxes that leave no projection.
std::vector<Case> layers(PressureSolver solver) {
  constexpr std::array<std::array<std::int64_t, 3>, 6> sizes{
      {{64, 64, 32}, {96, 64, 35}, {10, 6, 7}, {9, 5, 8}, {6, 1, 5}, {130, 12, 9}}};
  constexpr std::array<FlowEnds, 3> walls{FlowEnds::no_slip, FlowEnds::free_slip,
                                          FlowEnds::mixed_moving};
  std::vector<Case> all;
  for (std::size_t n = 0; n < 2 * sizes.size(); ++n) {
    Problem problem = busy_problem(sizes[n % sizes.size()],
                                   {FlowEnds::periodic, FlowEnds::periodic, walls[n % 3]}, 1, n);
    if (n % 2 == 0) {
      problem.axes[2].stretching = 1.5;
    }
    problem.time_step.fixed =
        std::min(1e-3, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    problem.steps = 1000;
    problem.device = Device::cuda(0);
    problem.solver = solver;
    problem.precision = n < sizes.size() ? Precision::fp64 : Precision::fp32;
    problem.name = "Layer" + std::to_string(n) + name_of(walls[n % 3]);
    if (solver == PressureSolver::multigrid) {
      problem.name += "Multigrid";
    }
    all.push_back({problem.name, problem, n});
  }
  return all;
}

/// A shear of constant speed, and a spot that buoyancy accelerates until it is faster: from then on
/// the flow gains speed at once, which no step before has foreseen.
Problem overtaking_spot(Precision precision, PressureSolver solver = PressureSolver::direct) {
  Problem problem;
  // As few as steps of either solver must have to leave their projections.
  const std::int64_t rows = solver == PressureSolver::multigrid ? 128 : 64;
  problem.axes = {{{.lower = 0.0, .upper = 1.0, .cells = 128, .periodic = true},
                   {.lower = 0.0, .upper = 1.0, .cells = rows, .periodic = true},
                   {.lower = 0.0, .upper = 1.0, .cells = 128}}};
  problem.viscosity = 2e-3;
  problem.initial_velocity[0] = [](double, double, double z) {
    return std::sin(2.0 * std::numbers::pi * z);
  };
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.name = "spot";
  scalar.diffusivity = 2e-3;
  scalar.buoyancy = {0.0, 0.0, 80.0};
  scalar.initial = [](double x, double y, double z) {
    const auto square = [](double value) { return (value - 0.5) * (value - 0.5); };
    return std::exp(-200.0 * (square(x) + square(y) + square(z)));
  };
  problem.time_step = {.courant = 0.3};
  problem.steps = 1000;
  problem.device = Device::cuda(0);
  problem.solver = solver;
  problem.precision = precision;
  problem.name = "overtaking spot";
  return problem;
}

std::unique_ptr<Integrator> begun(const Plan& plan) {
  std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  return flow;
}

std::unique_ptr<Integrator> begun(const Problem& problem) { return begun(Plan(problem)); }

KeptState state_of(const Integrator& flow) {
  KeptState state;
  flow.save(state);
  return state;
}

void expect_same_state(const KeptState& found, const KeptState& expected) {
  EXPECT_EQ(found.all_counts(), expected.all_counts());
  for (const auto& [name, values] : expected.all_numbers()) {
    EXPECT_TRUE(found.numbers(name) == values) << name;
  }
}

KeptState state_after(const Plan& plan, int steps) {
  const std::unique_ptr<Integrator> flow = begun(plan);
  for (int n = 0; n < steps; ++n) {
    flow->step(true);
  }
  return state_of(*flow);
}

/// States after so many steps with a look at the flow after step n where n % every is `at`.
KeptState state_after(const Problem& problem, int steps, const Look& look, int every, int at) {
  const std::unique_ptr<Integrator> flow = begun(problem);
  for (int n = 0; n < steps; ++n) {
    flow->step(true);
    if (n % every == at) {
      static_cast<void>(look(*flow));
    }
  }
  return state_of(*flow);
}

KeptState state_of_completed_steps(const Problem& problem, int steps) {
  return state_after(
      problem, steps,
      [](Integrator& flow) {
        flow.finish();
        return std::vector<double>{};
      },
      1, 0);
}

std::vector<double> numbers_of(const StepState& state) {
  return {static_cast<double>(state.steps),
          state.time,
          state.dt,
          state.rates.advection,
          state.rates.buoyancy,
          state.largest_courant,
          state.largest_courant_at_end,
          state.min_margin};
}

std::vector<double> field_of(const Integrator& flow, int field) {
  const Extents n = flow.plan().grid().extents();
  std::vector<double> values(static_cast<std::size_t>(n.count()));
  flow.read(field, box_of(n), values.data());
  return values;
}

std::vector<Look> looks() {
  return {[](Integrator& flow) { return numbers_of(flow.progress()); },
          [](Integrator& flow) { return numbers_of(flow.upcoming()); },
          [](Integrator& flow) {
            const Diagnosis found = flow.diagnose();
            return std::vector<double>{found.kinetic_energy, found.divergence};
          },
          [](Integrator& flow) { return flow.sample(1).means; },
          [](Integrator& flow) { return field_of(flow, 0); },
          [](Integrator& flow) { return field_of(flow, 3); },
          [](Integrator& flow) {
            static_cast<void>(state_of(flow));
            return field_of(flow, 2);
          }};
}

/// What a look sees after each fourth step, from step `at` on; `completes`: every step is completed
/// before another one follows.
std::vector<std::vector<double>> seen_by(const Look& look, const Problem& problem, int steps,
                                         int at, bool completes) {
  const std::unique_ptr<Integrator> flow = begun(problem);
  std::vector<std::vector<double>> seen;
  for (int n = 0; n < steps; ++n) {
    flow->step(true);
    if (completes) {
      flow->finish();
    }
    if (n % 4 == at) {
      seen.push_back(look(*flow));
    }
  }
  return seen;
}

class StepsAhead : public testing::TestWithParam<Case> {};

TEST_P(StepsAhead, LeaveTheFlowOfCompletedSteps) {
  const Problem& problem = GetParam().problem;
  const auto never = [](Integrator& /*flow*/) { return std::vector<double>{}; };
  for (const int steps : {1, 2, 3, 4, 9}) {
    expect_same_state(state_after(problem, steps, never, 100, 99),
                      state_of_completed_steps(problem, steps));
  }
}

TEST_P(StepsAhead, MayBeLookedAtAtAnyTime) {
  const Problem& problem = GetParam().problem;
  const KeptState expected = state_of_completed_steps(problem, 9);
  int at = 0;
  for (const Look& look : looks()) {
    expect_same_state(state_after(problem, 9, look, 4, at), expected);
    EXPECT_EQ(seen_by(look, problem, 9, at, false), seen_by(look, problem, 9, at, true));
    at = (at + 1) % 4;
  }
}

TEST_P(StepsAhead, GoOnFromASavedFlow) {
  const Problem& problem = GetParam().problem;
  const std::unique_ptr<Integrator> whole = begun(problem);
  for (int n = 0; n < 5; ++n) {
    whole->step(true);
  }
  const KeptState half = state_of(*whole);
  const Plan plan(problem);
  const std::unique_ptr<Integrator> second = make_integrator(plan);
  second->load(initial_state(plan.problem(), plan.grid()));
  second->set_rule(step_rule(plan.problem(), plan.grid(), second->diagnose()));
  for (int n = 0; n < 4; ++n) {  // to be forgotten in the middle
    second->step(true);
  }
  second->restore(half);
  second->set_rule(step_rule(plan.problem(), plan.grid(), begun(problem)->diagnose()));
  for (int n = 0; n < 4; ++n) {
    whole->step(true);
    second->step(true);
  }
  expect_same_state(state_of(*second), state_of(*whole));
}

INSTANTIATE_TEST_SUITE_P(Layers, StepsAhead, testing::ValuesIn(layers(PressureSolver::direct)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(LayersOfMultigrid, StepsAhead,
                         testing::ValuesIn(layers(PressureSolver::multigrid)), case_name);

class ChosenStepsAhead : public testing::TestWithParam<std::tuple<Precision, PressureSolver>> {
 protected:
  static Problem problem() {
    return overtaking_spot(std::get<Precision>(GetParam()), std::get<PressureSolver>(GetParam()));
  }
};

/// Also of those that turn out too long for the flow once they have begun.
TEST_P(ChosenStepsAhead, LeaveTheFlowOfCompletedSteps) {
  constexpr int steps = 20;
  const Problem problem = this->problem();
  ASSERT_TRUE(Plan(problem).leaves_projections());
  const std::unique_ptr<Integrator> completed = begun(problem);
  const std::unique_ptr<Integrator> ahead = begun(problem);
  const StepRule rule = step_rule(problem, Grid(problem.axes), completed->diagnose());
  completed->set_rule(rule);
  ahead->set_rule(rule);
  int shortened = 0;
  for (int n = 0; n < steps; ++n) {
    const StepState planned = planned_step(rule, completed->progress());
    completed->step();
    constexpr double rounding = 1e-9;  // host and GPU plan alike to a few units in the last place
    shortened += n > 1 && completed->progress().dt < (1.0 - rounding) * planned.dt ? 1 : 0;
    ahead->step(true);
  }
  EXPECT_GT(shortened, 0) << "all steps went by plan: nothing was tested";
  EXPECT_GT(ahead->steps_ahead(), 0);
  EXPECT_EQ(completed->steps_ahead(), 0);
  expect_same_state(state_of(*ahead), state_of(*completed));
}

TEST_P(ChosenStepsAhead, MayBeLookedAtAtAnyTime) {
  constexpr int steps = 14;
  const Problem problem = this->problem();
  const KeptState expected = state_of_completed_steps(problem, steps);
  int at = 0;
  for (const Look& look : looks()) {
    expect_same_state(state_after(problem, steps, look, 4, at), expected);
    EXPECT_EQ(seen_by(look, problem, steps, at, false), seen_by(look, problem, steps, at, true));
    at = (at + 1) % 4;
  }
}

INSTANTIATE_TEST_SUITE_P(PrecisionsAndSolvers, ChosenStepsAhead,
                         testing::Combine(testing::Values(Precision::fp64, Precision::fp32),
                                          testing::Values(PressureSolver::direct,
                                                          PressureSolver::multigrid)),
                         [](const auto& all) {
                           return to_string(std::get<0>(all.param)) + "_" +
                                  to_string(std::get<1>(all.param));
                         });

/// 16 words of `advance` and one of the potential, 4 of the divergence and 4 of what follows;
/// ghosts beyond both walls are written, and follow from as many cells and the potential there.
TEST(StepsAheadPlan, MoveTwentyFiveWordsOfACell) {
  const Plan plan(layers(PressureSolver::direct).front().problem);
  ASSERT_TRUE(plan.leaves_projections());
  const StageWork stage = make_integrator(plan)->work();
  const Work& pressure = stage[static_cast<std::size_t>(StagePart::pressure)];
  if (pressure.model.find("three passes") == std::string::npos) {
    GTEST_SKIP() << "this GPU has no clusters of blocks";
  }
  constexpr double plane = 64.0 * 64.0;
  EXPECT_EQ(work_of_steps(plan, stage, 3.0, 3.0).traffic.bytes(),
            3.0 * 8.0 * (25.0 * 32.0 * plane + 2.0 * (4.0 + 5.0) * plane));
  EXPECT_EQ(work_of_steps(plan, stage, 3.0, 0.0).traffic.bytes(),
            sum_of(stage, 3.0).traffic.bytes());
  EXPECT_EQ(work_of_steps(plan, stage, 1.0, 1.0).traffic.flops, sum_of(stage).traffic.flops);
}

/// The first step has no tendency before it and leaves nothing, nor does a look at the flow.
TEST(StepsAheadPlan, AreCounted) {
  for (const PressureSolver solver : {PressureSolver::direct, PressureSolver::multigrid}) {
    const Plan plan(layers(solver).front().problem);
    const std::unique_ptr<Integrator> flow = begun(plan);
    for (const std::int64_t expected : {0, 0, 1, 2}) {
      flow->step(true);
      EXPECT_EQ(flow->steps_ahead(), expected);
    }
    flow->finish();
    for (const std::int64_t expected : {2, 3}) {
      flow->step(true);
      EXPECT_EQ(flow->steps_ahead(), expected);
    }
  }
}

TEST(StepsAheadPlan, AreThoseOfLayersOnGpus) {
  for (const PressureSolver solver : {PressureSolver::direct, PressureSolver::multigrid}) {
    Problem chosen = overtaking_spot(Precision::fp64, solver);
    EXPECT_TRUE(keeps_both_tendencies(Plan(chosen)));
    chosen.axes[0].cells /= 2;
    EXPECT_FALSE(Plan(chosen).leaves_projections());
  }
  Problem problem = overtaking_spot(Precision::fp64);
  problem.time_step = {.fixed = 1e-3};
  EXPECT_TRUE(Plan(problem).leaves_projections());
  EXPECT_FALSE(keeps_both_tendencies(Plan(problem)));
  problem.axes[0].periodic = false;
  EXPECT_FALSE(Plan(problem).leaves_projections());
}

/// Half of the second set would be too much.
TEST(StepsAheadPlan, ProjectWhereTheMemoryIsTooLittle) {
  constexpr int steps = 12;
  const Problem problem = overtaking_spot(Precision::fp64);
  const Plan roomy(problem, CeilingRule::none);
  ASSERT_TRUE(roomy.leaves_projections());
  const std::int64_t second_set = 4 * 8 * problem.cells();
  const std::int64_t free = free_bytes(Device::cuda(0));
  const Plan tight(problem, CeilingRule::none,
                   {.device = free - roomy.footprint().device + second_set / 2});
  EXPECT_FALSE(tight.leaves_projections());
  EXPECT_EQ(tight.memory_shortage(), "");
  EXPECT_LE(tight.device_bytes(), roomy.device_bytes() - second_set);
  expect_same_state(state_after(tight, steps), state_after(roomy, steps));
}

}  // namespace
}  // namespace bankfull::convection
