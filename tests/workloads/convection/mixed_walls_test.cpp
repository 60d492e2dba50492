#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "tests/workloads/convection/steps.hpp"
#include "tests/workloads/convection/tendency.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

// Walls between fixed values and fixed gradients: heat transfer to surroundings, and slip.
namespace bankfull::convection {
namespace {

constexpr double height = 0.8;
constexpr double conductivity = 0.3;

/// Fluid between two walls across an axis, alike along the others.
Problem between_walls(std::size_t across, std::int64_t cells, double stretching) {
  Problem problem;
  problem.steps = 1;
  problem.viscosity = conductivity;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis] = {.cells = 1, .periodic = true};
  }
  problem.axes[across] = {.upper = height, .cells = cells, .stretching = stretching};
  return problem;
}

/// Heat in series: from surroundings at 1.2 through the lower film, the fluid and the upper film to
/// surroundings at 0.2.
TEST(MixedWalls, SteadyConductionIsExact) {
  constexpr double lower_transfer = 0.5;
  constexpr double upper_transfer = 2.0;
  constexpr double heat =
      1.0 / (1.0 / lower_transfer + height / conductivity + 1.0 / upper_transfer);
  for (std::size_t across = 0; across < 3; ++across) {
    Problem problem = between_walls(across, 9, 1.7);
    Scalar& scalar = problem.scalars.emplace_back();
    scalar.diffusivity = conductivity;
    scalar.walls[across] = {WallScalar::mixed(lower_transfer, 1.2),
                            WallScalar::mixed(upper_transfer, 0.2)};
    scalar.initial = [across](double x, double y, double z) {
      return 1.2 - heat / lower_transfer - heat / conductivity * Vector{x, y, z}[across];
    };
    const Tendency found = tendency_of(problem);
    EXPECT_LT(largest_magnitude(found.rate.fields[3]), 1e-12);
    const Diagnosis flow = started(problem)->diagnose();
    EXPECT_NEAR(flow.scalars[0].inflow[across][0], heat, 1e-13);
    EXPECT_NEAR(flow.scalars[0].inflow[across][1], -heat, 1e-13);
  }
}

/// The slowest mode between equal walls is cos(k z) around the middle, k tan(k height / 2) =
/// transfer / conductivity, and decays by conductivity k^2.
double slowest_mode(double transfer) {
  double low = 0.0;
  double high = std::acos(-1.0) / height;
  for (int n = 0; n < 100; ++n) {
    const double k = 0.5 * (low + high);
    (k * std::tan(0.5 * k * height) < transfer / conductivity ? low : high) = k;
  }
  return low;
}

double decay_error(std::int64_t cells, double stretching) {
  constexpr double transfer = 0.7;
  const double k = slowest_mode(transfer);
  Problem problem = between_walls(1, cells, stretching);
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.diffusivity = conductivity;
  scalar.walls[1] = {WallScalar::mixed(transfer, 0.0), WallScalar::mixed(transfer, 0.0)};
  scalar.initial = [k](double, double y, double) { return std::cos(k * (y - 0.5 * height)); };
  const std::unique_ptr<Integrator> flow = started(problem);
  const double before = flow->diagnose().scalars[0].mean;
  constexpr double end = 0.2;
  const double dt = 0.9 * longest_diffusive_step(problem, Grid(problem.axes));
  advance_to(*flow, TimeScheme::runge_kutta, end, static_cast<std::int64_t>(std::ceil(end / dt)));
  const double rate = std::log(before / flow->diagnose().scalars[0].mean) / end;
  return std::abs(rate - conductivity * k * k) / (conductivity * k * k);
}

TEST(MixedWalls, DecayOfTheSlowestModeIsOfSecondOrder) {
  for (const double stretching : {0.0, 1.5}) {
    const double coarse = decay_error(16, stretching);
    const double fine = decay_error(32, stretching);
    EXPECT_LT(fine, 2e-3);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1);
  }
}

TEST(MixedWalls, BetweenThemRunsNoPathOfANusseltNumber) {
  Problem problem = between_walls(2, 8, 0.0);
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  EXPECT_NE(heat_path_of(problem), nullptr);
  scalar.walls[2][1] = WallScalar::mixed(1.0, 0.0);
  EXPECT_EQ(heat_path_of(problem), nullptr);
}

/// The lower wall rests, the upper one moves; along both the fluid slips.
TEST(SlippingWalls, CouetteFlowIsExact) {
  constexpr double speed = 0.9;
  constexpr double lower_slip = 0.1;
  constexpr double upper_slip = 0.25;
  constexpr double shear = speed / (height + lower_slip + upper_slip);
  for (std::size_t across = 0; across < 3; ++across) {
    const std::size_t along = (across + 1) % 3;
    Problem problem = between_walls(across, 9, 1.7);
    problem.walls[across][0].slip_length = lower_slip;
    problem.walls[across][1].slip_length = upper_slip;
    problem.walls[across][1].velocity[along] = speed;
    problem.initial_velocity[along] = [across](double x, double y, double z) {
      return shear * (lower_slip + Vector{x, y, z}[across]);
    };
    const Tendency found = tendency_of(problem);
    const auto field = static_cast<std::size_t>(found.grid.storage(static_cast<int>(along)));
    EXPECT_LT(largest_magnitude(found.rate.fields[field]), 1e-12);
    // What the moving wall gives is lost by viscosity and by friction at the walls.
    const Diagnosis flow = started(problem)->diagnose();
    const double stress = problem.viscosity * shear;
    EXPECT_NEAR(flow.dissipation, problem.viscosity * shear * shear, 1e-13);
    EXPECT_NEAR(flow.wall_work,
                stress * (shear * (lower_slip + height) - shear * lower_slip) / height, 1e-13);
  }
}

TEST(SlippingWalls, AllLengthsBetweenNoSlipAndFreeSlip) {
  const auto decay = [](double slip_length, bool free) {
    Problem problem = between_walls(2, 12, 0.0);
    for (WallMotion& wall : problem.walls[2]) {
      wall = {.free_slip = free, .slip_length = slip_length};
    }
    problem.initial_velocity[0] = [](double, double, double z) { return 1.0 + 0.2 * z; };
    return -started(problem)->diagnose().energy_rate();
  };
  const double no_slip = decay(0.0, false);
  const double free_slip = decay(0.0, true);
  const double middle = decay(0.1, false);
  EXPECT_LT(free_slip, middle);
  EXPECT_LT(middle, no_slip);
  EXPECT_NEAR(decay(1e-12, false), no_slip, 1e-6);
  EXPECT_NEAR(decay(1e12, false), free_slip, 1e-6);
}

TEST(SlippingWalls, TakeWorkSoThatBuoyancyIsNotAlone) {
  Problem problem = between_walls(2, 8, 0.0);
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.buoyancy = {0.0, 0.0, 2.0};
  scalar.walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  EXPECT_EQ(heat_path_of(problem)->buoyancy, 2.0);
  problem.walls[2][0].slip_length = 0.1;
  EXPECT_EQ(heat_path_of(problem)->buoyancy, 0.0);
}

}  // namespace
}  // namespace bankfull::convection
