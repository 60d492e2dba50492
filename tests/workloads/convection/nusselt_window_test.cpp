#include "bankfull/workloads/convection/nusselt_window.hpp"

#include "bankfull/numerics/formula/compile.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>

namespace bankfull::convection {
namespace {

constexpr double layer_conductivity = 0.5;
constexpr double layer_buoyancy = 3.0;
constexpr double layer_height = 2.0;

/// A layer between walls at 11 and 7, or warmer by `by`: conduction alone carries a heat flux of 1.
Problem heated_layer(double by = 0.0) {
  Problem problem;
  problem.axes[0].periodic = problem.axes[1].periodic = true;
  problem.axes[2].upper = layer_height;
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.diffusivity = layer_conductivity;
  scalar.buoyancy = {0.0, 0.0, layer_buoyancy};
  scalar.walls[2] = {WallScalar::fixed(by + 11.0), WallScalar::fixed(by + 7.0)};
  return problem;
}

/// A flow with these Nusselt numbers.
Diagnosis flow_with(double lower, double upper, double volume, double thermal, double kinetic) {
  Diagnosis flow;
  flow.dissipation = layer_buoyancy * (kinetic - 1.0);
  flow.buoyancy_work = layer_buoyancy * (volume - 1.0);
  Diagnosis::OfScalar& scalar = flow.scalars.emplace_back();
  scalar.inflow[2] = {lower, -upper};
  scalar.transport[2] = volume - 1.0;
  scalar.dissipation = 4.0 * thermal / layer_height;
  scalar.less_reference.wall_production = (lower * 11.0 - upper * 7.0) / layer_height;
  return flow;
}

TEST(NusseltWindow, AveragesTheSecondHalfByTime) {
  const Problem problem = heated_layer();
  NusseltWindow window(problem);
  EXPECT_FALSE(window.averages().has_value());
  window.add(0.0, flow_with(50.0, 50.0, 50.0, 50.0, 50.0), {});
  EXPECT_FALSE(window.averages().has_value()) << "no time has passed";
  window.add(3.0, flow_with(30.0, 3.0, 3.0, 3.0, 3.0), {});
  window.add(7.0, flow_with(10.0, 3.0, 3.0, 3.0, 3.0), {});
  window.add(8.0, flow_with(20.0, 3.0, 3.0, 2.0, 4.0), {});
  const NusseltAverages found = window.averages().value();
  EXPECT_EQ(found.from, 4.0);
  EXPECT_EQ(found.to, 8.0);
  // 25 at the beginning, 10 after three quarters, 20.
  EXPECT_NEAR(found.mean.lower, (3.0 * 17.5 + 1.0 * 15.0) / 4.0, 1e-13);
  EXPECT_NEAR(found.mean.upper, 3.0, 1e-13);
  EXPECT_NEAR(found.mean.volume, 3.0, 1e-13);
  EXPECT_NEAR(found.mean.thermal, 3.0 - 0.5 / 4.0, 1e-13);
  EXPECT_NEAR(found.mean.kinetic.value(), 3.0 + 0.5 / 4.0, 1e-13);
  EXPECT_NEAR(found.disagreement.value(), (16.875 - 2.875) / 16.875, 1e-13);
  EXPECT_FALSE(found.settled());
  EXPECT_TRUE(checks_of(found).front().passed()) << "no budget says otherwise";
}

TEST(NusseltWindow, IsLongEnoughWhereAllNumbersAgree) {
  const Problem problem = heated_layer();
  NusseltWindow window(problem);
  for (const double time : {0.0, 1.0, 2.0}) {
    window.add(time, flow_with(5.0, 5.05, 4.96, 5.0, 5.0), {});
  }
  EXPECT_NEAR(window.averages()->disagreement.value(), 0.09 / 5.05, 1e-13);
  EXPECT_TRUE(window.averages()->settled());
}

/// A flow whose budgets close but for what is added to heat, variance and energy by time, in units
/// of what is conducted. It stores what its Nusselt numbers differ by. The layer is warmer by what
/// its temperature is stored less of.
NusseltAverages averages_of_changing_flow(double heat, double variance, double energy,
                                          double reference = 0.0) {
  const Problem problem = heated_layer(reference);
  NusseltWindow window(problem);
  BudgetHistory budgets;
  const Diagnosis flow = flow_with(6.0, 4.0, 5.5, 3.0, 2.0);
  const double in = (6.0 - 4.0) / layer_height + heat / layer_height;
  for (int step = 0; step < 6; ++step) {
    const double time = 0.1 * step;
    Diagnosis now = flow;
    now.kinetic_energy = time * layer_buoyancy * (5.5 - 2.0 + energy);
    Diagnosis::OfScalar& scalar = now.scalars[0];
    auto& less_reference = scalar.less_reference;
    less_reference.mean = 8.0 + time * in;
    // T^2 / 2 = (T - 9)^2 / 2 + 9 T - 81 / 2
    const double about_middle = time * (4.0 / layer_height) * (5.0 - 3.0 + variance);
    less_reference.mean_square = 2.0 * (about_middle + 9.0 * less_reference.mean);
    scalar.reference = reference;
    scalar.mean = less_reference.mean + reference;
    scalar.mean_square =
        less_reference.mean_square + reference * (2.0 * less_reference.mean + reference);
    scalar.wall_production =
        less_reference.wall_production + reference * (6.0 - 4.0) / layer_height;
    budgets.add(step, time, now);
    window.add(time, now, budgets);
  }
  return window.averages().value();
}

TEST(NusseltWindow, WhatTheFlowStoresIsNoFaultOfTheDiscretisation) {
  const NusseltAverages found = averages_of_changing_flow(0.0, 0.0, 0.0);
  EXPECT_NEAR(found.disagreement.value(), 4.0 / 6.0, 1e-12);
  EXPECT_NEAR(found.by_discretisation, 0.0, 1e-12);
  EXPECT_FALSE(found.settled());
  EXPECT_TRUE(checks_of(found).front().passed());
}

TEST(NusseltWindow, WhatBudgetsLeaveIsJudged) {
  for (const double sign : {-1.0, 1.0}) {
    const auto left = [&](double heat, double variance, double energy) {
      return averages_of_changing_flow(sign * heat, sign * variance, sign * energy);
    };
    EXPECT_NEAR(left(0.3, 0.0, 0.0).by_discretisation, 0.3 / 6.0, 1e-12);
    EXPECT_NEAR(left(0.0, 0.3, 0.0).by_discretisation, 0.3 / 6.0, 1e-12);
    EXPECT_NEAR(left(0.0, 0.0, 0.3).by_discretisation, 0.3 / 6.0, 1e-12);
    EXPECT_FALSE(checks_of(left(0.0, 0.0, 0.3)).front().passed());
    EXPECT_TRUE(checks_of(left(0.1, 0.1, 0.1)).front().passed());
  }
}

/// The square of such a temperature keeps no digit of what changes in a step.
TEST(NusseltWindow, BudgetsOfLayersFarFromZeroAreAsGood) {
  for (const double variance : {0.0, 0.3}) {
    const NusseltAverages found = averages_of_changing_flow(0.0, variance, 0.0, 1e8);
    EXPECT_NEAR(found.by_discretisation, variance / 6.0, 1e-12);
  }
}

TEST(NusseltWindow, NumbersNeedNotAgreeWhereHeatEntersElsewhere) {
  const auto agree = [](const Problem& problem) {
    return all_agree(problem, *heat_path_of(problem));
  };
  const Problem layer = heated_layer();
  EXPECT_TRUE(agree(layer));
  Problem changed = layer;
  changed.scalars[0].walls[2][0].slope = {0.1, 0.0, 0.0};
  EXPECT_FALSE(agree(changed)) << "walls that are not of one temperature";
  changed = layer;
  changed.scalars[0].walls[2][1].varying =
      std::make_shared<const formula::Program>(formula::compile("sin(t)", "t"));
  EXPECT_FALSE(agree(changed)) << "nor at all times";
  changed = layer;
  changed.scalars[0].source = [](double, double, double) { return 1.0; };
  EXPECT_FALSE(agree(changed)) << "a source";
  changed = layer;
  changed.axes[0].periodic = false;
  EXPECT_TRUE(agree(changed)) << "sides that insulate";
  for (const WallScalar& side :
       {WallScalar::heated(0.1), WallScalar::fixed(1.0), WallScalar::mixed(1.0, 2.0)}) {
    changed.scalars[0].walls[0][1] = side;
    EXPECT_FALSE(agree(changed)) << "sides that do not";
  }
  NusseltWindow window(changed);
  window.add(0.0, flow_with(1.0, 2.0, 3.0, 4.0, 5.0), {});
  window.add(1.0, flow_with(1.0, 2.0, 3.0, 4.0, 5.0), {});
  EXPECT_EQ(window.averages()->mean.lower, 1.0);
  EXPECT_FALSE(window.averages()->disagreement.has_value());
  EXPECT_TRUE(checks_of(*window.averages()).empty());
}

/// A flow whose Nusselt numbers are all the same.
Diagnosis flow_with_all(double nusselt, double kinetic_energy = 1.0) {
  Diagnosis flow = flow_with(nusselt, nusselt, nusselt, nusselt, nusselt);
  flow.kinetic_energy = kinetic_energy;
  return flow;
}

TEST(NusseltWindow, TheErrorOfIndependentValuesIsTheirs) {
  const Problem problem = heated_layer();
  NusseltWindow window(problem);
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(5.0, 0.5);
  constexpr int noted = 8192;
  for (int n = 0; n <= noted; ++n) {
    window.add(n, flow_with_all(noise(random)), {});
    if (n == 30) {
      EXPECT_FALSE(window.averages()->error.has_value()) << "15 values";
    }
    if (n == 32) {
      EXPECT_TRUE(window.averages()->error.has_value());
    }
  }
  // With so many batches the error is known to a quarter, and the largest of three is taken.
  const double expected = 0.5 / std::sqrt(noted / 2.0) / 5.0;
  EXPECT_GT(*window.averages()->error, 0.8 * expected);
  EXPECT_LT(*window.averages()->error, 1.6 * expected);
}

/// Values that last: each of the true ones counts as many times as it is noted.
TEST(NusseltWindow, TheErrorOfValuesThatLastIsLarger) {
  const Problem problem = heated_layer();
  NusseltWindow window(problem);
  std::mt19937_64 random(9);
  std::normal_distribution<double> noise(5.0, 0.5);
  constexpr int lasting = 64;
  constexpr int noted = 8192;
  double value = 5.0;
  for (int n = 0; n <= noted; ++n) {
    value = n % lasting == 0 ? noise(random) : value;
    window.add(n, flow_with_all(value), {});
  }
  const double expected = 0.5 / std::sqrt(noted / (2.0 * lasting)) / 5.0;
  EXPECT_GT(*window.averages()->error, 0.7 * expected);
  EXPECT_LT(*window.averages()->error, 1.8 * expected);
}

TEST(NusseltWindow, ATrendIsNoSmallError) {
  const Problem problem = heated_layer();
  NusseltWindow window(problem);
  for (int n = 0; n <= 64; ++n) {
    window.add(n, flow_with_all(1.0 + n), {});
  }
  // Means over eighths of 33 to 65: 49 + 4 (n - 7/2), whose squares add up to 16 * 42.
  EXPECT_NEAR(*window.averages()->error, std::sqrt(16.0 * 42.0 / (8.0 * 7.0)) / 49.0, 1e-12);
}

TEST(NusseltWindow, DriftIsTheChangeOverTheWindow) {
  const Problem problem = heated_layer();
  NusseltWindow window(problem);
  for (int n = 0; n <= 6; ++n) {
    window.add(n, flow_with_all(9.0), {});
  }
  EXPECT_FALSE(window.drift(4.0).has_value()) << "seven flows";
  for (int n = 7; n <= 40; ++n) {
    window.add(n, flow_with_all(n % 2 == 0 ? 4.0 : 3.9), {});
  }
  EXPECT_FALSE(window.drift(41.0).has_value()) << "longer than the run";
  EXPECT_NEAR(window.drift(40.0).value(), 5.1 / 9.0, 1e-13);
  EXPECT_NEAR(window.drift(33.0).value(), 0.1 / 4.0, 1e-13);
  EXPECT_NEAR(window.drift(35.0).value(), 5.1 / 9.0, 1e-13);
  EXPECT_NEAR(window.drift(0.1).value(), 0.1 / 4.0, 1e-13) << "eight flows at least";
}

/// A layer in which nothing has begun yet conducts heat as steadily as one can ask for.
TEST(NusseltWindow, AFlowThatGrowsIsNotSteady) {
  const Problem problem = heated_layer();
  NusseltWindow growing(problem);
  NusseltWindow decaying(problem);
  for (int n = 0; n <= 20; ++n) {
    growing.add(n, flow_with_all(1.0, 1e-20 * std::exp(0.1 * n)), {});
    decaying.add(n, flow_with_all(1.0, 1e-20 * std::exp(-0.1 * n)), {});
  }
  EXPECT_NEAR(growing.drift(10.0).value(), 1.0 - std::exp(-1.0), 1e-12);
  EXPECT_LT(decaying.drift(10.0).value(), 1e-12);
}

TEST(NusseltWindow, NothingIsToldWithoutAPathOfHeat) {
  const Problem problem;
  NusseltWindow window(problem);
  window.add(0.0, {}, {});
  window.add(1.0, {}, {});
  EXPECT_FALSE(window.averages().has_value());
}

}  // namespace
}  // namespace bankfull::convection
