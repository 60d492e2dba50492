#include "bankfull/workloads/convection/validation.hpp"

#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "bankfull/workloads/convection/validation/manufactured.hpp"
#include "bankfull/workloads/convection/validation/samples.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr std::array<EndsOfFlow, 5> flow_ends{
    EndsOfFlow::periodic, EndsOfFlow::no_slip, EndsOfFlow::free_slip,
    EndsOfFlow::no_slip_below_free_slip, EndsOfFlow::moving};

constexpr std::array<EndsOfScalar, 6> scalar_ends{
    EndsOfScalar::periodic,   EndsOfScalar::fixed, EndsOfScalar::profile,
    EndsOfScalar::insulating, EndsOfScalar::flux,  EndsOfScalar::fixed_below_insulating};

std::array<AxisCells, 3> some_box() {
  return {AxisCells{.lower = -0.3, .upper = 0.9, .cells = 4},
          AxisCells{.lower = 0.1, .upper = 0.8, .cells = 4},
          AxisCells{.lower = -0.5, .upper = 0.5, .cells = 4}};
}

/// What `ends` across axis 2 make of a flow that is periodic along the others.
ManufacturedFlow across_z(EndsOfFlow flow, EndsOfScalar scalar) {
  return manufactured_flow(some_box(), {{EndsOfFlow::periodic, EndsOfFlow::periodic, flow},
                                        {EndsOfScalar::periodic, EndsOfScalar::periodic, scalar}});
}

TEST(ScalarAt, IsExactForCubicsOnStretchedAxes) {
  const auto cubic = [](double x, double y, double z) {
    return (1.0 + x) * x * (x - 0.4) * (2.0 - y) * (1.0 + z * (z - 1.0) * (z - 2.5));
  };
  Problem problem;
  problem.axes = {AxisCells{.upper = 1.0, .cells = 9, .stretching = 1.3},
                  AxisCells{.upper = 1.0, .cells = 3},
                  AxisCells{.upper = 3.0, .cells = 14, .stretching = 0.5}};
  problem.scalars.push_back({.initial = cubic});
  TimedFlow flow(problem);
  for (const Vector place : {Vector{0.18, 0.4, 2.7}, Vector{0.01, 0.5, 1.5}, Vector{0.97, 0.9, 0.1},
                             Vector{0.5, 0.2, 2.98}}) {
    EXPECT_NEAR(scalar_at(flow, place), cubic(place[0], place[1], place[2]), 1e-12)
        << place[0] << ' ' << place[1] << ' ' << place[2];
  }
}

TEST(SmoothField, DerivativesAreThoseOfDifferences) {
  const ManufacturedFlow flow = across_z(EndsOfFlow::no_slip, EndsOfScalar::flux);
  const Vector place{0.13, 0.47, -0.21};
  for (const SmoothField& field : {flow.velocity[0], flow.velocity[2], flow.scalars[0]}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      constexpr double step = 1e-5;
      Vector before = place;
      Vector after = place;
      before[axis] -= step;
      after[axis] += step;
      EXPECT_NEAR(field.derivative(axis)(place), (field(after) - field(before)) / (2.0 * step),
                  1e-7);
    }
  }
}

TEST(ManufacturedFlow, IsFreeOfDivergenceAndMeetsItsWalls) {
  for (const EndsOfFlow ends : flow_ends) {
    const ManufacturedFlow flow = across_z(ends, EndsOfScalar::fixed);
    const Vector inside{0.13, 0.47, -0.21};
    double divergence = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      divergence += flow.velocity[axis].derivative(axis)(inside);
      EXPECT_GT(std::abs(flow.velocity[axis](inside)), 1e-3) << static_cast<int>(ends);
    }
    EXPECT_NEAR(divergence, 0.0, 1e-12) << static_cast<int>(ends);
    if (ends == EndsOfFlow::periodic) {
      continue;
    }
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Vector wall{0.13, 0.47, side == 0 ? -0.5 : 0.5};
      const WallMotion& motion = flow.problem.walls[2][side];
      EXPECT_NEAR(flow.velocity[2](wall), 0.0, 1e-12) << static_cast<int>(ends);
      for (const std::size_t along : {std::size_t{0}, std::size_t{1}}) {
        const double met = motion.free_slip ? flow.velocity[along].derivative(2)(wall)
                                            : flow.velocity[along](wall) - motion.velocity[along];
        EXPECT_NEAR(met, 0.0, 1e-12) << static_cast<int>(ends);
      }
    }
  }
}

TEST(ManufacturedFlow, MeetsTheWallsOfItsScalar) {
  for (const EndsOfScalar ends : scalar_ends) {
    if (ends == EndsOfScalar::periodic) {
      continue;
    }
    const ManufacturedFlow flow = across_z(EndsOfFlow::no_slip, ends);
    const Scalar& scalar = flow.problem.scalars.front();
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Vector place{0.13, 0.47, side == 0 ? -0.5 : 0.5};
      const WallScalar& wall = scalar.walls[2][side];
      const double outward = side == 0 ? -1.0 : 1.0;
      const double met =
          wall.is_flux
              ? scalar.diffusivity * outward * flow.scalars[0].derivative(2)(place) - wall.flux
              : flow.scalars[0](place) - wall.value - wall.slope[2] * place[2];
      EXPECT_NEAR(met, 0.0, 1e-12) << static_cast<int>(ends);
    }
  }
}

TEST(FieldNorms, LargestRelativeDifferenceIsOfVelocityOrOfAScalar) {
  const FlowState b{{{1.0, 2.0}, {0.0, 0.0}, {-4.0, 0.0}, {0.1, 0.2}}};
  FlowState a = b;
  EXPECT_EQ(largest_relative_difference(a, b), 0.0);
  a.fields[1][1] = 1.0;
  EXPECT_EQ(largest_relative_difference(a, b), 0.25);
  a.fields[3][0] = 0.2;
  EXPECT_DOUBLE_EQ(largest_relative_difference(a, b), 0.5);
  a.fields[0][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(largest_relative_difference(a, b)));
}

TEST(FieldNorms, VolumeOfAllElementsIsTheBox) {
  for (const auto& shape : shapes()) {
    const Problem problem =
        busy_problem(shape, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::periodic}, 0, 0);
    const Grid grid(problem.axes);
    const std::vector<double> ones(static_cast<std::size_t>(problem.cells()), 1.0);
    for (const int field : {0, 1, 2, 3}) {
      EXPECT_NEAR(inner_product(grid, field, ones, ones), grid.volume(), 1e-13);
    }
  }
}

TEST(LineProfile, FindsExtremesBetweenThePoints) {
  Problem problem;
  problem.axes = {AxisCells{.cells = 24}, AxisCells{.cells = 1, .periodic = true},
                  AxisCells{.cells = 20}};
  // Largest at z = 0.413, where it is 1.7 on x = 1/2.
  problem.initial_velocity[0] = [](double x, double, double z) {
    return (1.2 + x) * std::cos(3.0 * (z - 0.413));
  };
  const Grid grid(problem.axes);
  const FlowState state = initial_state(problem, grid);
  const LineProfile profile = velocity_profile(grid, state, 0, 2, {0.5, 0.5, 0.5});
  ASSERT_EQ(profile.places.size(), 20u);
  EXPECT_DOUBLE_EQ(profile.places[3], 0.175);
  EXPECT_NEAR(max_along(profile), 1.7, 1e-5);
  EXPECT_NEAR(min_along(profile), profile.values.back(), 1e-12);
}

TEST(TimedFlow, LandsOnTheTimesAskedFor) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::no_slip, FlowEnds::no_slip, FlowEnds::periodic}, 1, 0);
  problem.time_step = {.fixed = 0.0, .courant = 0.3};
  TimedFlow flow(problem);
  flow.advance(0.37);
  EXPECT_NEAR(flow.time(), 0.37, 1e-14);
  flow.advance_evenly(0.13, 0.01);
  EXPECT_NEAR(flow.time(), 0.5, 1e-14);
}

TEST(Settle, EndsAtTheSteadyFlowOrGivesUp) {
  // Between a wall at rest and one that moves: Couette's flow.
  Problem problem;
  problem.axes = {AxisCells{.cells = 2, .periodic = true}, AxisCells{.cells = 1, .periodic = true},
                  AxisCells{.cells = 8}};
  problem.walls[2][1].velocity[0] = 1.0;
  const auto energy = [](const Diagnosis& found) { return found.kinetic_energy; };
  const auto ignore = [](double) {};
  TimedFlow flow(problem);
  EXPECT_TRUE(settle(flow, {.interval = 0.1, .tolerance = 1e-9}, energy, ignore));
  const double mean_square = 1.0 / 3.0 - 1.0 / (12.0 * 64.0);  // of the centres of 8 cells
  EXPECT_NEAR(flow.integrator().diagnose().kinetic_energy, 0.5 * mean_square, 1e-7);
  TimedFlow impatient(problem);
  EXPECT_FALSE(
      settle(impatient, {.interval = 0.01, .tolerance = 1e-9, .longest = 0.05}, energy, ignore));
}

TEST(Validation, InvariantsHoldOnTheCpu) {
  NoProgress progress;
  const ValidationSetting setting({}, {alone(), progress});
  std::vector<Check> checks;
  check_invariants(setting, checks);
  EXPECT_GE(checks.size(), 8u);
  for (const Check& check : checks) {
    EXPECT_TRUE(check.passed()) << check.name << ": " << check.value;
    EXPECT_FALSE(check.source.empty()) << check.name;
  }
}

}  // namespace
}  // namespace bankfull::convection
