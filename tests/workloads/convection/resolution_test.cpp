#include "bankfull/workloads/convection/resolution.hpp"

#include "bankfull/numerics/formula/compile.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <optional>

namespace bankfull::convection {
namespace {

/// A layer between walls of 0.5 and -0.5, that began between these.
Problem layer(std::int64_t cells, double stretching = 0.0) {
  Problem problem;
  problem.axes[0] = {.upper = 2.0, .cells = 2 * cells, .periodic = true};
  problem.axes[1] = {.upper = 1.0, .cells = 1, .periodic = true};
  problem.axes[2] = {.upper = 1.0, .cells = cells, .stretching = stretching};
  problem.viscosity = 1e-3;
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.diffusivity = 4e-3;
  scalar.walls[2] = {WallScalar::fixed(0.5), WallScalar::fixed(-0.5)};
  return problem;
}

Diagnosis flow_of(double dissipation, double least = -0.5, double most = 0.5) {
  Diagnosis flow{.fastest_along = {0.2, 0.0, 0.4}, .dissipation = dissipation};
  flow.scalars.push_back({.min = least, .max = most});
  return flow;
}

Resolution resolution_of(const Problem& problem, const Diagnosis& flow,
                         const std::optional<Nusselt>& nusselt = {}) {
  const Grid grid(problem.axes);
  return ResolutionWatch(problem, grid, flow_of(0.0)).add(1.0, flow, nusselt);
}

TEST(Resolution, CellsAreComparedWithTheLengthsOfTheMeanDissipation) {
  Problem problem = layer(10);
  // eta = (1e-9 / 1e-1)^(1/4) = 0.01
  Resolution found = resolution_of(problem, flow_of(0.1));
  EXPECT_NEAR(found.cell_over_kolmogorov.value(), 10.0, 1e-12);
  EXPECT_NEAR(found.cell_over_batchelor.value(), 10.0, 1e-12) << "diffuses faster than velocity";
  EXPECT_NEAR(found.cell_peclet.value(), 0.4 * 0.1 / 1e-3, 1e-12);
  EXPECT_FALSE(is_resolved(found));
  problem.scalars.front().diffusivity = 1e-5;
  found = resolution_of(problem, flow_of(1e-9));
  EXPECT_NEAR(found.cell_over_kolmogorov.value(), 0.1, 1e-12);
  EXPECT_NEAR(found.cell_over_batchelor.value(), 1.0, 1e-12);
  EXPECT_NEAR(found.cell_peclet.value(), 0.4 * 0.1 / 1e-5, 1e-9);
  EXPECT_TRUE(is_resolved(found));
  EXPECT_EQ(resolution_of(problem, flow_of(0.0)).cell_over_batchelor.value(), 0.0);
}

TEST(Resolution, WithoutViscosityCellsAreComparedWithTheLengthOfGradients) {
  Problem problem = layer(10);
  problem.viscosity = 0.0;
  Diagnosis flow = flow_of(0.0);
  EXPECT_FALSE(resolution_of(problem, flow).cell_over_gradients.has_value()) << "at rest";
  flow.kinetic_energy = 0.5;
  flow.mean_square_gradient = 49.0;
  Resolution found = resolution_of(problem, flow);
  EXPECT_NEAR(found.cell_over_gradients.value(), 0.7, 1e-12);
  EXPECT_NEAR(found.cell_peclet.value(), 0.4 * 0.1 / 4e-3, 1e-12);
  EXPECT_FALSE(found.cell_over_batchelor.has_value());
  EXPECT_TRUE(is_resolved(found));
  flow.mean_square_gradient = 64.0;
  EXPECT_FALSE(is_resolved(resolution_of(problem, flow)));
  problem.scalars.clear();
  flow.scalars.clear();
  EXPECT_FALSE(ResolutionWatch(problem, Grid(problem.axes), flow).add(1.0, flow, {}).cell_peclet);
}

TEST(Resolution, RoundingOfWhatIsStoredIsAPartOfTheRange) {
  Problem problem = layer(10);
  Diagnosis flow = flow_of(0.0, 299.5, 300.5);
  flow.scalars.front().reference = 300.0;
  problem.precision = Precision::fp32;
  constexpr double of_one = 0x1p-23;
  EXPECT_NEAR(resolution_of(problem, flow).rounding.value(), 0.5 * of_one, 1e-12);
  flow.scalars.front().reference = -20000.0;  // heated ever since
  EXPECT_NEAR(resolution_of(problem, flow).rounding.value(), 20300.5 * of_one, 1e-9);
  EXPECT_FALSE(is_resolved({.rounding = resolution_of(problem, flow).rounding}));
  problem.precision = Precision::fp64;
  EXPECT_TRUE(is_resolved({.rounding = resolution_of(problem, flow).rounding}));
}

TEST(Resolution, RoundingIsThatOfAFluidFarFromWhereItsWallsWereAndItsSurroundingsAre) {
  Problem problem = layer(10);
  problem.precision = Precision::fp32;
  problem.end_time = 10.0;
  const Grid grid(problem.axes);
  const auto rounding_of = [&](const std::array<WallScalar, 2>& walls) {
    problem.scalars.front().walls[2] = walls;
    ResolutionWatch watch(problem, grid, flow_of(0.0, 0.0, 0.01));
    return watch.add(10.0, flow_of(0.0, 300.0, 300.01), {}).rounding.value();
  };
  const double expected = 300.01 / 0.01 * 0x1p-23;
  const auto later = std::make_shared<const formula::Program>(formula::compile("30*t", "t"));
  WallScalar varying = WallScalar::fixed(0.0);
  varying.varying = later;
  EXPECT_NEAR(rounding_of({varying, varying}), expected, 1e-9);
  const WallScalar far = WallScalar::mixed(1e-6, 1e6);
  EXPECT_NEAR(rounding_of({far, WallScalar::insulating()}), expected, 1e-9);
  EXPECT_LT(rounding_of({WallScalar::fixed(300.0), WallScalar::insulating()}), 1e-6);
}

TEST(Resolution, AScalarThatNothingMakesDifferHasNoRangeThatRoundingWouldHide) {
  Problem problem = layer(10);
  Scalar& scalar = problem.scalars.front();
  scalar.walls[2] = {WallScalar::insulating(), WallScalar::insulating()};
  const Grid grid(problem.axes);
  const auto rounding_of = [&](double max_at_start) {
    ResolutionWatch watch(problem, grid, flow_of(0.0, 0.0, max_at_start));
    return watch.add(10.0, flow_of(0.0, 4.0, 4.0 + 4e-15), {}).rounding;
  };
  scalar.source = [](double, double, double) { return 1.0; };
  EXPECT_FALSE(rounding_of(0.0).has_value()) << "heated alike everywhere";
  EXPECT_TRUE(rounding_of(1e-14).has_value()) << "it began otherwise";
  scalar.source = [](double, double, double z) { return z; };
  EXPECT_TRUE(rounding_of(0.0).has_value()) << "a source that differs";
  scalar.source = nullptr;
  scalar.walls[2][1] = WallScalar::heated(1e-3);
  EXPECT_TRUE(rounding_of(0.0).has_value()) << "a wall";
}

TEST(Resolution, CellsInTheThinnerBoundaryLayerCount) {
  const Problem problem = layer(20);
  const auto cell = [&](double lower, double upper) {
    return resolution_of(problem, flow_of(0.0), Nusselt{.lower = lower, .upper = upper})
        .cell_in_boundary_layer;
  };
  EXPECT_FALSE(cell(1.9, 1.5).has_value()) << "there is no layer";
  EXPECT_DOUBLE_EQ(cell(2.5, 1.0).value(), 1.0 / 4.0);
  EXPECT_DOUBLE_EQ(cell(2.5, 5.0).value(), 1.0 / 2.0);
  EXPECT_DOUBLE_EQ(cell(40.0, 5.0).value(), 0.05 / 0.0125) << "none lies in it";
  EXPECT_FALSE(resolution_of(problem, flow_of(0.0)).cell_in_boundary_layer.has_value());
}

TEST(Resolution, ThreeCellsAreEnoughWhateverTheirMeanRoundsTo) {
  const Problem problem = layer(20);
  const Grid grid(problem.axes);
  for (int notes = 1; notes < 300; ++notes) {
    ResolutionWatch watch(problem, grid, flow_of(0.0));
    for (int n = 0; n < notes; ++n) {
      watch.add(1.0, flow_of(0.0), Nusselt{.lower = 3.3, .upper = 3.3});
    }
    const std::vector<Check> checks = watch.checks();
    ASSERT_EQ(checks[1].name, "cell over the thermal boundary layer");
    EXPECT_NEAR(checks[1].value, 1.0 / 3.0, 1e-14);
    EXPECT_TRUE(checks[1].passed()) << notes;
  }
}

TEST(Resolution, AScalarThatNothingHeatsStaysInItsRange) {
  Problem problem = layer(8);
  EXPECT_EQ(resolution_of(problem, flow_of(0.0)).overshoot.value(), 0.0);
  EXPECT_NEAR(resolution_of(problem, flow_of(0.0, -0.51, 0.5)).overshoot.value(), 0.01, 1e-12);
  EXPECT_NEAR(resolution_of(problem, flow_of(0.0, -0.5, 0.6)).overshoot.value(), 0.1, 1e-12);
  problem.scalars.front().walls[2][0] = WallScalar::fixed(0.5, {0.1, 0.0, 0.0});  // to 0.7
  EXPECT_EQ(resolution_of(problem, flow_of(0.0, -0.5, 0.7)).overshoot.value(), 0.0);
  problem.scalars.front().walls[2][0] = WallScalar::heated(0.1);
  EXPECT_FALSE(resolution_of(problem, flow_of(0.0, -0.5, 0.6)).overshoot.has_value());
  problem.scalars.front().walls[2][0] = WallScalar::insulating();
  EXPECT_TRUE(resolution_of(problem, flow_of(0.0)).overshoot.has_value());
  problem.scalars.front().source = [](double, double, double) { return 1.0; };
  EXPECT_FALSE(resolution_of(problem, flow_of(0.0, -0.5, 0.6)).overshoot.has_value());
}

TEST(Resolution, TheSecondHalfOfARunIsJudged) {
  const Problem problem = layer(10);
  const Grid grid(problem.axes);
  ResolutionWatch watch(problem, grid, flow_of(0.0));
  EXPECT_TRUE(watch.checks().empty());
  watch.add(0.0, flow_of(1e3, -9.0, 9.0), {});
  watch.add(1.0, flow_of(1e-9), {});
  watch.add(2.0, flow_of(16e-9, -0.5, 0.53), {});
  const std::vector<Check> checks = watch.checks();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_NEAR(checks[0].value, 0.15, 1e-12) << "the mean of 0.1 and 0.2";
  EXPECT_TRUE(checks[0].passed());
  EXPECT_NEAR(checks[1].value, 0.03, 1e-12) << "the largest overshoot";
  EXPECT_FALSE(checks[1].passed());
}

TEST(Resolution, AScalarFarOutOfItsRangeIsNamed) {
  const Problem problem = layer(10);
  const Grid grid(problem.axes);
  const ResolutionWatch watch(problem, grid, flow_of(0.0));
  EXPECT_EQ(watch.runaway(flow_of(0.0, -5.0, 0.5)), "");
  EXPECT_EQ(watch.runaway(flow_of(0.0, -12.0, 0.5)),
            "temperature is between -12 and 0.5, where it began between -0.5 and 0.5");
}

}  // namespace
}  // namespace bankfull::convection
