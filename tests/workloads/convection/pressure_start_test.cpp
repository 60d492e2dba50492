#include "bankfull/workloads/convection/pressure_start.hpp"

#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "tests/counting.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/restarts.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace bankfull::convection {
namespace {

/// What steps of these lengths start from, over their lengths, where p(time) is the pressure in the
/// middle of a step.
std::vector<double> starts_of(const std::vector<double>& steps,
                              const std::function<double(double)>& p) {
  std::vector<double> starts;
  double potential = 0.0;
  double before = 0.0;
  float expected = 0.0F;
  StepClock clock;
  for (const double dt : steps) {
    clock.next.dt = dt;
    const double start = pressure_start(weights_of_start(clock, step_of_first_pressure), potential,
                                        before, expected);
    starts.push_back(start / dt);
    const bool corrects = clock.progress.steps == 0;  // Heun's second stage
    potential = corrects ? 1e-3 : dt * p(clock.progress.time + 0.5 * dt);
    clock.progress.dt_before = clock.progress.dt;
    clock.progress.dt = dt;
    clock.progress.time += dt;
    ++clock.progress.steps;
  }
  return starts;
}

std::vector<double> middles_of(const std::vector<double>& steps) {
  std::vector<double> middles;
  double time = 0.0;
  for (const double dt : steps) {
    middles.push_back(time + 0.5 * dt);
    time += dt;
  }
  return middles;
}

const std::vector<double> equal_steps(8, 0.1);
const std::vector<double> growing_steps{0.1, 0.11, 0.12, 0.13, 0.1, 0.05, 0.055, 0.06};

TEST(PressureStart, IsTheParabolaThroughThreePressures) {
  const auto parabola = [](double t) { return 2.0 - t + 3.0 * t * t; };
  const std::vector<double> starts = starts_of(equal_steps, parabola);
  const std::vector<double> middles = middles_of(equal_steps);
  for (std::size_t n = 4; n < starts.size(); ++n) {
    EXPECT_NEAR(starts[n], parabola(middles[n]), 1e-7) << n;
  }
}

TEST(PressureStart, IsTheLineThroughPressuresOfStepsOfAnyLength) {
  const auto line = [](double t) { return 2.0 - 3.0 * t; };
  const std::vector<double> starts = starts_of(growing_steps, line);
  const std::vector<double> middles = middles_of(growing_steps);
  EXPECT_NEAR(starts[3], line(middles[3]), 1e-12);
  for (std::size_t n = 4; n < starts.size(); ++n) {
    EXPECT_NEAR(starts[n], line(middles[n]), 1e-7) << n;
  }
}

/// A pressure that stays is found whatever the steps; the second step has none yet.
TEST(PressureStart, TakesWhatIsKnownInTheFirstSteps) {
  const std::vector<double> starts = starts_of(growing_steps, [](double) { return 5.0; });
  EXPECT_EQ(starts[0], 0.0);
  EXPECT_EQ(starts[1] * growing_steps[1], 1e-3);
  for (std::size_t n = 2; n < starts.size(); ++n) {
    EXPECT_NEAR(starts[n], 5.0, 1e-14) << n;
  }
}

TEST(PressureStart, IsAsCounted) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::periodic, FlowEnds::no_slip, FlowEnds::no_slip}, 1, 0);
  problem.solver = PressureSolver::multigrid;
  counting::Array<counting::Counted<double>> potential(problem.cells());
  counting::Array<counting::Counted<double>> before(problem.cells());
  counting::Array<counting::Counted<float>> expected(problem.cells());
  const Traffic counted = counting::traffic_of([&] {
    start_pressure_row({}, potential.data(), before.data(), expected.data(), problem.cells());
  });
  counting::expect_equal(traffic_of_start(Plan(problem, CeilingRule::none)), counted);
}

TEST(PressureStart, IsOfStepsOfAdamsBashforthByMultigrid) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::periodic, FlowEnds::no_slip, FlowEnds::no_slip}, 1, 0);
  const auto bytes = [&problem](TimeScheme scheme, PressureSolver solver) {
    problem.scheme = scheme;
    problem.solver = solver;
    return bytes_of_past_pressure(Plan(problem, CeilingRule::none));
  };
  EXPECT_GE(bytes(TimeScheme::adams_bashforth, PressureSolver::multigrid), problem.cells() * 12);
  EXPECT_EQ(bytes(TimeScheme::runge_kutta, PressureSolver::multigrid), 0);
  EXPECT_EQ(bytes(TimeScheme::adams_bashforth, PressureSolver::direct), 0);
}

/// A roll that gains speed, well resolved.
Problem smooth_flow() {
  Problem problem;
  problem.axes[0] = {.upper = 2.0, .cells = 32, .periodic = true};
  problem.axes[1] = {.upper = 1.0, .cells = 8, .periodic = true};
  problem.axes[2] = {.upper = 1.0, .cells = 16};
  problem.viscosity = 0.01;
  Scalar& temperature = problem.scalars.emplace_back();
  temperature.diffusivity = 0.01;
  temperature.buoyancy = {0.0, 0.0, 1.0};
  temperature.initial = [](double x, double /*y*/, double z) {
    return 1.0 - z + 0.2 * std::cos(std::numbers::pi * x) * std::sin(std::numbers::pi * z);
  };
  temperature.walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  problem.steps = 100;
  problem.solver = PressureSolver::multigrid;
  problem.divergence = 1e-12;
  return problem;
}

int cycles_of(const Problem& problem, const KeptState& state, const StepRule& rule, int steps) {
  const std::unique_ptr<Integrator> flow = restarted(state, problem, rule);
  int cycles = 0;
  for (int n = 0; n < steps; ++n) {
    flow->step();
    cycles += flow->pressure_outcome().cycles;
    EXPECT_TRUE(flow->pressure_outcome().converged);
  }
  return cycles;
}

TEST(PressureStart, SavesCycles) {
  const Problem problem = smooth_flow();
  KeptState state;
  const StepRule rule = run_to(problem, 20, state);
  KeptState without = state;
  without.erase(name_of_past_pressure);  // the state of an older program
  EXPECT_LE(cycles_of(problem, state, rule, 1) + 2, cycles_of(problem, without, rule, 1));
  EXPECT_LE(cycles_of(problem, state, rule, 10), cycles_of(problem, without, rule, 10));
}

}  // namespace
}  // namespace bankfull::convection
