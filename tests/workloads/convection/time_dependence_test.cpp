#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/resolution.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <string>

// Walls, forces and sources that are formulas of time.
namespace bankfull::convection {
namespace {

/// The flow at `end`, after so many equal steps by the clock.
std::unique_ptr<Integrator> flow_at(Problem problem, double end, std::int64_t steps) {
  problem.time_step.fixed = end / static_cast<double>(steps);
  problem.steps = steps;
  problem.end_time = 0.0;
  const Plan plan(problem);
  std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  for (std::int64_t n = 0; n < steps; ++n) {
    flow->step();
  }
  return flow;
}

/// One cell wide along x and y.
Problem column(std::int64_t cells, TimeScheme scheme) {
  Problem problem;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis] = {.cells = 1, .periodic = true};
  }
  problem.axes[2] = {.cells = cells};
  problem.viscosity = 0.01;
  problem.scheme = scheme;
  return problem;
}

class InTime : public testing::TestWithParam<TimeScheme> {};

std::string scheme_name(const testing::TestParamInfo<TimeScheme>& one) {
  return one.param == TimeScheme::runge_kutta ? "RungeKutta" : "AdamsBashforth";
}

INSTANTIATE_TEST_SUITE_P(Schemes, InTime,
                         testing::Values(TimeScheme::adams_bashforth, TimeScheme::runge_kutta),
                         scheme_name);

constexpr double angular_frequency = 3.0;

/// Stokes' second problem between the wall z = 0, which moves with cos(angular_frequency t), and a
/// wall at rest at z = 1: the real part of exp(i w t) sinh(k (1 - z)) / sinh(k), k^2 = i w / nu.
double stokes_velocity(double viscosity, double z, double time) {
  using namespace std::complex_literals;
  const std::complex<double> k = std::sqrt(1.0i * angular_frequency / viscosity);
  return std::real(std::exp(1.0i * angular_frequency * time) * std::sinh(k * (1.0 - z)) /
                   std::sinh(k));
}

/// What oscillates as the wall does: velocity and a scalar that diffuses as fast.
Problem stokes_problem(TimeScheme scheme, std::int64_t cells) {
  const PointFunction start = [](double, double, double z) {
    return stokes_velocity(0.05, z, 0.0);
  };
  Problem problem = column(cells, scheme);
  problem.viscosity = 0.05;
  problem.walls[2][0].varying[0] = of_time("cos(3*t)");
  problem.initial_velocity[0] = start;
  problem.scalars.push_back({.diffusivity = 0.05, .initial = start});
  WallScalar swinging = WallScalar::fixed(0.0);
  swinging.varying = of_time("cos(3*t)");
  problem.scalars[0].walls[2] = {swinging, WallScalar::fixed(0.0)};
  return problem;
}

/// Root mean square of the errors of both.
double stokes_error(const Problem& problem, std::int64_t steps) {
  constexpr double end = 2.3;
  const std::unique_ptr<Integrator> flow = flow_at(problem, end, steps);
  const Grid grid(problem.axes);
  const FlowState found = flow->state();
  const std::int64_t cells = problem.cells();
  double sum = 0.0;
  for (const std::size_t field : {static_cast<std::size_t>(grid.storage(0)), std::size_t{3}}) {
    for (std::int64_t n = 0; n < cells; ++n) {
      const double exact = stokes_velocity(0.05, grid.axis(0).centre(n), end);
      const double off = found.fields[field][static_cast<std::size_t>(n)] - exact;
      sum += off * off;
    }
  }
  return std::sqrt(sum / static_cast<double>(2 * cells));
}

TEST_P(InTime, AnOscillatingWallDrivesStokesSecondProblemToSecondOrder) {
  // As short as the grid asks for everywhere: dt in proportion to the width of cells, and stable.
  const double coarse = stokes_error(stokes_problem(GetParam(), 16), 320);
  const double fine = stokes_error(stokes_problem(GetParam(), 32), 640);
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.15);
}

class ImplicitlyInTime : public testing::TestWithParam<TimeScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitlyInTime,
                         testing::Values(TimeScheme::adams_bashforth, TimeScheme::runge_kutta),
                         scheme_name);

/// Steps of a twentieth of a period and less, where explicit ones would have to be a hundred times
/// as short at the walls.
TEST_P(ImplicitlyInTime, AnOscillatingWallDrivesStokesSecondProblemToSecondOrder) {
  for (const Schedule schedule : {Schedule::reference, Schedule::tuned}) {
    std::array<double, 2> errors{};
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}}) {
      const std::int64_t cells = n == 0 ? 24 : 48;
      Problem problem = stokes_problem(GetParam(), cells);
      problem.axes[2].stretching = 2.0;
      problem.implicit_diffusion = ImplicitDiffusion::stretched;
      problem.schedule = schedule;
      errors[n] = stokes_error(problem, cells);
    }
    EXPECT_LT(errors[1], 2e-3) << to_string(schedule);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.2) << to_string(schedule);
  }
}

/// A scalar at rest between two pairs of walls that vary each in its own way, on cells as thin at
/// the walls as 1/150: against a much finer time step.
TEST_P(ImplicitlyInTime, ScalarsFollowWallsAcrossTwoAxesToSecondOrder) {
  Problem problem = column(10, GetParam());
  problem.axes[0] = {.cells = 12, .stretching = 1.5};
  problem.axes[2].stretching = 1.5;
  problem.implicit_diffusion = ImplicitDiffusion::walls;
  problem.viscosity = 0.1;
  problem.scalars.push_back({.diffusivity = 0.1});
  WallScalar fixed = WallScalar::fixed(0.0);
  WallScalar mixed = WallScalar::mixed(0.4, 0.0);
  fixed.varying = of_time("1 - cos(3*t)");
  mixed.varying = of_time("sin(2*t)^2");
  problem.scalars[0].walls[0] = {fixed, WallScalar::fixed(0.0)};
  problem.scalars[0].walls[2] = {mixed, fixed};
  const auto state = [&](std::int64_t steps) { return flow_at(problem, 1.5, steps)->state(); };
  const FlowState exact = state(1280);
  const double coarse = relative_difference(state(40), exact);
  const double fine = relative_difference(state(80), exact);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2);
  EXPECT_LT(fine, 2e-3);
}

/// Walls that rise together, however fast diffusion is at them: what lies beside follows, in the
/// corners too.
TEST_P(ImplicitlyInTime, CornersFollowWallsThatChangeAlike) {
  Problem problem = column(12, GetParam());
  problem.axes[0] = {.cells = 12, .stretching = 2.5};
  problem.axes[2].stretching = 2.5;
  problem.implicit_diffusion = ImplicitDiffusion::walls;
  problem.scalars.push_back({.diffusivity = 0.1});
  WallScalar rising = WallScalar::fixed(0.0);
  rising.varying = of_time("t");
  problem.scalars[0].walls[0] = problem.scalars[0].walls[2] = {rising, rising};
  const FlowState found = flow_at(problem, 2.0, 40)->state();
  EXPECT_NEAR(found.fields[3].front(), 2.0, 1e-2);
  EXPECT_NEAR(found.fields[3].back(), 2.0, 1e-2);
}

/// Velocity and a scalar without walls that act, pushed by cos(3 t) and heated by exp(-t): what
/// they become is the integral.
std::array<double, 2> integral_errors(TimeScheme scheme, std::int64_t steps) {
  Problem problem = column(4, scheme);
  problem.axes[2].periodic = true;
  const PointFunction one = [](double, double, double) { return 1.0; };
  problem.force[1] = one;
  problem.force_factor[1] = of_time("cos(3*t)");
  problem.scalars.push_back(
      {.diffusivity = 0.01, .source = one, .source_factor = of_time("exp(-t)")});
  constexpr double end = 1.5;
  const std::unique_ptr<Integrator> flow = flow_at(problem, end, steps);
  const Grid grid(problem.axes);
  const double u = flow->state().fields[static_cast<std::size_t>(grid.storage(1))][0];
  const double scalar = flow->state().fields[3][0];
  return {std::abs(u - std::sin(angular_frequency * end) / angular_frequency),
          std::abs(scalar - (1.0 - std::exp(-end)))};
}

TEST_P(InTime, ForcesAndSourcesAreIntegratedToTheOrderOfTheScheme) {
  const std::array<double, 2> coarse = integral_errors(GetParam(), 40);
  const std::array<double, 2> fine = integral_errors(GetParam(), 80);
  const double order = GetParam() == TimeScheme::runge_kutta ? 3.0 : 2.0;
  for (const std::size_t kind : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_NEAR(std::log2(coarse[kind] / fine[kind]), order, 0.15) << kind;
  }
}

/// A scalar at the centre of a cell between walls whose flux, or temperature, varies: against a
/// much finer time step.
double wall_error(TimeScheme scheme, const WallScalar& wall, std::int64_t steps) {
  Problem problem = column(4, scheme);
  problem.scalars.push_back({.diffusivity = 0.1});
  problem.scalars[0].walls[2] = {wall, WallScalar::fixed(0.2)};
  const auto mean = [&](std::int64_t count) {
    return flow_at(problem, 1.5, count)->diagnose().scalars[0].mean;
  };
  return std::abs(mean(steps) - mean(32 * steps));
}

TEST_P(InTime, ScalarsFollowTheirWallsToSecondOrder) {
  WallScalar fixed = WallScalar::fixed(0.1);
  WallScalar heated = WallScalar::heated(0.02);
  WallScalar mixed = WallScalar::mixed(0.4, 0.3);
  for (WallScalar* wall : {&fixed, &heated, &mixed}) {
    wall->varying = of_time("sin(3*t)");
    const double coarse = wall_error(GetParam(), *wall, 40);
    const double fine = wall_error(GetParam(), *wall, 80);
    EXPECT_GT(std::log2(coarse / fine), 1.85);
    EXPECT_LT(fine, 1e-3);
  }
}

/// A moving wall gives more energy than viscosity takes by what the flow gains.
TEST_P(InTime, WallsDoTheWorkOfTheirVelocityAtTheTime) {
  Problem problem = column(8, GetParam());
  problem.viscosity = 0.05;
  problem.walls[2][1].varying[1] = of_time("0.4 + sin(3*t)");
  constexpr double end = 0.9;
  const std::unique_ptr<Integrator> flow = flow_at(problem, end, 300);
  const Diagnosis found = flow->diagnose();
  const Grid grid(problem.axes);
  const FlowState state = flow->state();
  const double beside = state.fields[static_cast<std::size_t>(grid.storage(1))].back();
  const double on_wall = 0.4 + std::sin(3.0 * end);
  EXPECT_NEAR(found.wall_work, on_wall * 0.05 * (on_wall - beside) * 16.0, 1e-12);
}

TEST_P(InTime, ForcesDoTheirWorkAtTheTime) {
  Problem problem = column(4, GetParam());
  problem.axes[2].periodic = true;
  problem.force[0] = [](double, double, double) { return 2.0; };
  problem.force_factor[0] = of_time("cos(3*t)");
  const Diagnosis found = flow_at(problem, 0.3, 60)->diagnose();
  EXPECT_NEAR(found.force_work, 2.0 * std::cos(0.9) * found.fastest_along[0], 1e-13);
}

TEST(StagesInTime, BeginAndEndWhereTheSchemeHasThem) {
  const Stages runge_kutta = stages_of(TimeScheme::runge_kutta, 0.3, 0.3);
  constexpr std::array<double, 4> ends{0.0, 8.0 / 15.0, 2.0 / 3.0, 1.0};
  for (int n = 0; n < 3; ++n) {
    const StageTimes times = times_of(runge_kutta, n, 2.0, 2.3);
    EXPECT_NEAR(times.begin, 2.0 + 0.3 * ends[static_cast<std::size_t>(n)], 1e-15);
    EXPECT_NEAR(times.end, 2.0 + 0.3 * ends[static_cast<std::size_t>(n + 1)], 1e-15);
  }
  EXPECT_EQ(times_of(runge_kutta, 2, 2.0, 2.3).end, 2.3);
  const Stages heun = stages_of(TimeScheme::adams_bashforth, 0.3, 0.0);
  EXPECT_DOUBLE_EQ(times_of(heun, 0, 2.0, 2.3).end, 2.3);
  EXPECT_DOUBLE_EQ(times_of(heun, 1, 2.0, 2.3).begin, 2.3);
}

TEST(StepsInTime, GoByTheLargestForceAndWallOfTheRun) {
  Problem problem = column(8, TimeScheme::runge_kutta);
  problem.end_time = 1.0;
  problem.time_step = {.courant = 0.5, .longest = 0.5};
  problem.viscosity = 0.0;
  problem.walls[2][0].varying[0] = of_time("40*t*exp(-t)");
  problem.axes[0] = {.cells = 4, .periodic = true};
  const Grid wide(problem.axes);
  const double by_wall = step_rule(problem, wide, {}, {}).at_rest;
  EXPECT_NEAR(by_wall, 0.5 / (4.0 * 40.0 * std::exp(-1.0)), 1e-3 * by_wall);
  problem.force[2] = [](double, double, double) { return -3.0; };
  problem.force_factor[2] = of_time("sin(100*t) - 1");
  EXPECT_NEAR(largest_sources(problem, wide).force[2], 6.0, 1e-9);
}

TEST(ScalarBounds, KnowWhatVaryingWallsReach) {
  Problem problem = column(8, TimeScheme::runge_kutta);
  problem.steps = 10;
  problem.time_step.fixed = 0.1;
  problem.scalars.push_back({.diffusivity = 0.1});
  WallScalar warm = WallScalar::fixed(1.0);
  warm.varying = of_time("0.5*sin(20*t)");
  problem.scalars[0].walls[2] = {warm, WallScalar::fixed(0.0)};
  const Grid grid(problem.axes);
  Diagnosis flow;
  flow.scalars.push_back({.min = 0.0, .max = 1.0});
  ResolutionWatch watch(problem, grid, flow);
  flow.scalars[0].max = 1.5;
  EXPECT_NEAR(*watch.add(0.1, flow, {}).overshoot, 0.0, 1e-3);
  flow.scalars[0].max = 1.9;
  EXPECT_NEAR(*watch.add(0.2, flow, {}).overshoot, 0.4 / 1.5, 1e-3);
}

TEST(HeatPathInTime, OfWallsThatVaryIsThatOfTheirSteadyPart) {
  Problem problem = column(8, TimeScheme::runge_kutta);
  problem.scalars.push_back({.diffusivity = 0.1, .buoyancy = {0.0, 0.0, 1.0}});
  WallScalar warm = WallScalar::fixed(1.0);
  warm.varying = of_time("0.5*sin(20*t)");
  problem.scalars[0].walls[2] = {warm, WallScalar::fixed(0.25)};
  EXPECT_EQ(heat_path_of(problem)->difference, 0.75);
  EXPECT_EQ(heat_path_of(problem)->buoyancy, 1.0);
  problem.walls[2][0].varying[1] = of_time("sin(t)");
  EXPECT_EQ(heat_path_of(problem)->buoyancy, 0.0);
}

}  // namespace
}  // namespace bankfull::convection
