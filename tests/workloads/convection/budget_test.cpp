#include "bankfull/workloads/convection/budget.hpp"

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"
#include "tests/workloads/convection/tendency.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <numbers>
#include <optional>
#include <tuple>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr double to_the_last_digits = 1e-12;

/// A sum of terms that is `expected`, to a part of the largest of them. In boxes one cell wide the
/// fluid may be unable to move: then all is rounding.
void expect_balance(double sum, double expected, std::initializer_list<double> terms) {
  double most = std::abs(expected);
  for (const double term : terms) {
    most = std::max(most, std::abs(term));
  }
  constexpr double of_fluid_at_rest = 5e-17;  // what projections leave of velocities of 1/2
  EXPECT_LE(std::abs(sum - expected), to_the_last_digits * most + of_fluid_at_rest);
}

class BudgetCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, BudgetCase, testing::ValuesIn(all_cases()), case_name);

/// d(u^2 / 2)/dt = u . G, G the projected tendency of a stage: pressure, advection and rotation do
/// no work.
TEST_P(BudgetCase, TheEnergyChangesByItsTerms) {
  const Tendency found = tendency_of(GetParam().problem);
  const Diagnosis terms = started(GetParam().problem)->diagnose();
  const double rate = velocity_product(found.grid, found.state, found.rate) / found.grid.volume();
  expect_balance(terms.energy_rate(), rate,
                 {terms.dissipation, terms.buoyancy_work, terms.wall_work, terms.force_work});
  EXPECT_GT(terms.dissipation, 0.0);
}

TEST_P(BudgetCase, TheVarianceOfScalarsChangesByItsTerms) {
  const Tendency found = tendency_of(GetParam().problem);
  const Diagnosis flow = started(GetParam().problem)->diagnose();
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    const Diagnosis::OfScalar& terms = flow.scalars[s];
    const double rate =
        inner_product(found.grid, 3, found.state.fields[3 + s], found.rate.fields[3 + s]) /
        found.grid.volume();
    expect_balance(terms.variance_rate(), rate,
                   {terms.dissipation, terms.wall_production, terms.source_production});
    EXPECT_GT(terms.dissipation, 0.0);
  }
}

/// The energy of the series is the form whose change the budget is, also where cells are stretched.
TEST_P(BudgetCase, TheEnergyIsTheSumOverTheFaces) {
  const std::unique_ptr<Integrator> flow = started(GetParam().problem);
  const Grid grid(GetParam().problem.axes);
  const FlowState state = flow->state();
  const Diagnosis found = flow->diagnose();
  const double energy = 0.5 * velocity_product(grid, state, state) / grid.volume();
  EXPECT_NEAR(found.kinetic_energy, energy, 1e-14 * energy);
  for (std::size_t s = 0; s < found.scalars.size(); ++s) {
    const std::vector<double>& values = state.fields[3 + s];
    const double square = inner_product(grid, 3, values, values) / grid.volume();
    EXPECT_NEAR(found.scalars[s].mean_square, square, 1e-14 * square);
  }
}

/// A flow whose terms are parabolas in time, and what something else adds to the energy and takes
/// from the scalar: from the square of what it is less its reference, and from its mean.
constexpr double reference_of_flow = 300.0;

Diagnosis parabolic_flow(double time, double added) {
  const double square = time * time;
  Diagnosis flow;
  flow.kinetic_energy = 5.0 + 3.0 * time - 0.5 * square + 2.0 * square * time + added * time;
  flow.dissipation = 1.0 + 4.0 * time;
  flow.buoyancy_work = 2.0 + 2.0 * time;
  flow.wall_work = 3.0 * square + 2.0;
  flow.force_work = 3.0 * square + time;
  Diagnosis::OfScalar& scalar = flow.scalars.emplace_back();
  scalar.reference = reference_of_flow;
  scalar.less_reference.mean_square = 2.0 * (7.0 + 6.0 * time + square * time - added * time);
  scalar.less_reference.mean = 0.5 * square - 0.1 * added * time;
  scalar.dissipation = 3.0 * time;
  scalar.less_reference.wall_production = 3.0 * square + 3.0 * time;
  scalar.less_reference.source_production = 6.0;
  scalar.supply = time;
  return flow;
}

TEST(BudgetHistory, FindsWhatTheTermsDoNotAccountFor) {
  BudgetHistory history;
  EXPECT_FALSE(history.time_scheme().has_value());
  std::int64_t step = 0;
  for (const double time : {0.3, 0.8, 1.0, 1.7}) {
    history.add(step++, time, parabolic_flow(time, 0.25));
    const std::optional<TimeSchemeBudget> found = history.time_scheme();
    ASSERT_EQ(found.has_value(), step > 2);
    if (found) {
      EXPECT_NEAR(found->energy, 0.25, 1e-13);
      ASSERT_EQ(found->scalars.size(), 1U);
      EXPECT_NEAR(found->scalars.front(), -0.25 - 0.1 * 0.25 * reference_of_flow, 1e-11);
    }
  }
}

TEST(BudgetHistory, SaysNothingOfStepsThatItWasNotTold) {
  BudgetHistory history;
  for (const std::int64_t step : {4, 5, 6, 8, 9}) {
    history.add(step, static_cast<double>(step), parabolic_flow(0.0, 0.0));
    EXPECT_EQ(history.time_scheme().has_value(), step == 6) << step;
  }
  history.add(10, 10.0, parabolic_flow(0.0, 0.0));
  EXPECT_TRUE(history.time_scheme().has_value());
}

/// What the time scheme adds to the budgets over the two steps around a time.
TimeSchemeBudget time_scheme_around(const Problem& problem, TimeScheme scheme, double time,
                                    std::int64_t steps) {
  const std::unique_ptr<Integrator> flow = started(problem);
  const double dt = time / static_cast<double>(steps);
  BudgetHistory history;
  double before = 0.0;
  for (std::int64_t step = 1; step <= steps + 1; ++step) {
    for (const Stage& stage : stages_of(scheme, dt, before)) {
      flow->advance(stage);
    }
    before = dt;
    history.add(step, static_cast<double>(step) * dt, flow->diagnose());
  }
  return history.time_scheme().value_or(TimeSchemeBudget{});
}

TEST(TimeSchemeBudget, IsOfTheOrderOfTheScheme) {
  Problem problem = busy_problem(
      {6, 5, 7}, {FlowEnds::mixed_moving, FlowEnds::no_slip, FlowEnds::periodic}, 2, 0);
  problem.axes[0].stretching = 1.0;
  problem.rotation = {0.7, -0.3, 1.1};
  problem.force = {uneven(0.3, 1.0), {}, uneven(0.2, 4.0)};
  problem.scalars.front().source = uneven(0.4, 3.0);
  for (const auto& [scheme, implicit, expected] :
       {std::tuple{TimeScheme::adams_bashforth, ImplicitDiffusion::none, 2.0},
        std::tuple{TimeScheme::runge_kutta, ImplicitDiffusion::none, 3.0},
        std::tuple{TimeScheme::adams_bashforth, ImplicitDiffusion::walls, 2.0},
        std::tuple{TimeScheme::runge_kutta, ImplicitDiffusion::walls, 2.0}}) {
    problem.implicit_diffusion = implicit;
    const std::int64_t steps = implicit == ImplicitDiffusion::none ? 40 : 80;
    const TimeSchemeBudget coarse = time_scheme_around(problem, scheme, 0.4, steps);
    const TimeSchemeBudget fine = time_scheme_around(problem, scheme, 0.4, 2 * steps);
    EXPECT_NEAR(std::log2(coarse.energy / fine.energy), expected, 0.1) << to_string(scheme);
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      EXPECT_NEAR(std::log2(coarse.scalars[s] / fine.scalars[s]), expected, 0.1)
          << to_string(scheme) << ", scalar " << s;
    }
  }
}

/// A roll between a warm and a cold plate in x and z, at a little more than the critical Rayleigh
/// number.
Problem roll(double stretching, const Vector& gravity_axes) {
  Problem problem;
  const bool upright = gravity_axes[2] != 0.0;
  const std::size_t along = upright ? 2 : 0;
  const std::size_t across = 2 - along;
  problem.axes[along] = {.upper = 1.0, .cells = 10, .stretching = stretching};
  problem.axes[1] = {.upper = 1.0, .cells = 1, .periodic = true};
  problem.axes[across] = {.upper = 2.0, .cells = 12, .periodic = true};
  constexpr double rayleigh = 4000.0;
  Scalar& temperature = problem.scalars.emplace_back();
  temperature.buoyancy[along] = rayleigh;
  temperature.initial = [along, across](double x, double, double z) {
    const Vector place{x, 0.0, z};
    return 1.0 - place[along] +
           0.1 * std::cos(std::numbers::pi * place[across]) *
               std::sin(std::numbers::pi * place[along]);
  };
  temperature.walls[along] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  problem.time_step.fixed = 0.8 * longest_diffusive_step(problem, Grid(problem.axes));
  problem.steps = 1;
  return problem;
}

TEST(Nusselt, AllFiveOfASteadyRollAgree) {
  for (const double stretching : {0.0, 1.5}) {
    for (const Vector& axes : {Vector{0.0, 0.0, 1.0}, Vector{1.0, 0.0, 0.0}}) {
      const Problem problem = roll(stretching, axes);
      const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
      flow->load(initial_state(problem, Grid(problem.axes)));
      advance_to(*flow, problem.scheme, 10.0,
                 static_cast<std::int64_t>(10.0 / problem.time_step.fixed));
      const std::unique_ptr<HeatPath> path = heat_path_of(problem);
      const Nusselt found =
          nusselt_of(*path, problem.scalars.front().diffusivity, flow->diagnose());
      EXPECT_GT(found.volume, 1.5);
      ASSERT_TRUE(found.kinetic.has_value());
      for (const double other : {found.lower, found.upper, found.thermal, *found.kinetic}) {
        EXPECT_NEAR(other, found.volume, 1e-9) << "stretching " << stretching;
      }
    }
  }
}

TEST(Nusselt, KineticDissipationDeterminesItWhereBuoyancyAloneDrivesTheFlowAlongThePath) {
  const auto buoyancy = [](const auto& change) {
    Problem problem = roll(0.0, {0.0, 0.0, 1.0});
    change(problem);
    return heat_path_of(problem)->buoyancy;
  };
  EXPECT_EQ(buoyancy([](Problem&) {}), 4000.0);
  EXPECT_EQ(buoyancy([](Problem& p) { p.walls[2][1].free_slip = true; }), 4000.0);
  EXPECT_EQ(buoyancy([](Problem& p) { p.scalars.push_back({.name = "dye"}); }), 4000.0);
  EXPECT_EQ(buoyancy([](Problem& p) { p.scalars.front().buoyancy[0] = 1.0; }), 0.0);
  EXPECT_EQ(buoyancy([](Problem& p) { p.walls[2][1].velocity[0] = 1.0; }), 0.0);
  EXPECT_EQ(buoyancy([](Problem& p) { p.force[0] = uneven(1.0, 1.0); }), 0.0);
  EXPECT_EQ(buoyancy([](Problem& p) {
              p.scalars.push_back({.name = "salt", .buoyancy = {0.0, 0.0, -1.0}});
            }),
            0.0);
}

}  // namespace
}  // namespace bankfull::convection
