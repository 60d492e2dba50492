#include "bankfull/workloads/convection/step_control.hpp"

#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/step_ahead.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace bankfull::convection {
namespace {

using Complex = std::complex<double>;

TEST(WeightOfDivergence, IsThePaceOfUsualFlows) {
  for (const double courant : {0.1, 0.35, 1.0, 1.7}) {
    EXPECT_DOUBLE_EQ(weight_of_divergence({}, 0.01, courant / 0.01), 0.01) << courant;
  }
}

TEST(WeightOfDivergence, IsRelativeToSlowFlows) {
  EXPECT_DOUBLE_EQ(weight_of_divergence({}, 0.01, 1e-6 / 0.01), 0.01 / 1e-5);
  EXPECT_DOUBLE_EQ(weight_of_divergence({.moved = 1e-6 / 0.01}, 0.01, 0.0), 0.01 / 1e-5);
  EXPECT_DOUBLE_EQ(weight_of_divergence({.pushed = 1e-6 / 1e-4}, 0.01, 0.0), 0.01 / 1e-5);
  EXPECT_TRUE(std::isfinite(weight_of_divergence({}, 0.01, 0.0)));
}

/// The factor by which a step multiplies the solution of du/dt = z u / dt; of Adams-Bashforth 2,
/// after a step `ratio` times shorter, that of the larger root.
double amplification(TimeScheme scheme, Complex z, double ratio = 1.0) {
  if (scheme == TimeScheme::runge_kutta) {
    return std::abs(1.0 + z + z * z / 2.0 + z * z * z / 6.0);
  }
  const Complex half = 0.5 * (1.0 + (1.0 + 0.5 * ratio) * z);
  const Complex root = std::sqrt(half * half - 0.5 * ratio * z);
  return std::max(std::abs(half + root), std::abs(half - root));
}

/// The same of du/dt = z u / dt - (sum of decays) u / dt, whose decays, each along an axis, are
/// implicit: stages solve (1 + theta tau decay_1) (1 + theta tau decay_2) ... (change) = right
/// side.
double amplification(TimeScheme scheme, Complex z, const std::vector<double>& decays,
                     double ratio = 1.0) {
  const auto of_stage = [&](const Stage& stage) {
    double matrix = 1.0;
    double sum = 0.0;
    for (const double decay : decays) {
      matrix *= 1.0 + stage.implicit_time() * decay;
      sum += stage.length() * decay;
    }
    return std::pair{matrix, sum};
  };
  const Stages stages = stages_of(scheme, 1.0, 1.0 / ratio);
  if (scheme == TimeScheme::runge_kutta) {
    Complex value = 1.0;
    Complex before = 0.0;
    for (const Stage& stage : stages) {
      const auto [matrix, sum] = of_stage(stage);
      const Complex tendency = z * value;
      value += (stage.gamma * tendency + stage.zeta * before - sum * value) / matrix;
      before = tendency;
    }
    return std::abs(value);
  }
  const auto [matrix, sum] = of_stage(stages.at[0]);
  const Complex half = 0.5 * (1.0 + (stages.at[0].gamma * z - sum) / matrix);
  const Complex root = std::sqrt(half * half + stages.at[0].zeta * z / matrix);
  return std::max(std::abs(half + root), std::abs(half - root));
}

constexpr double beyond_one = 1e-12;
constexpr double any = std::numeric_limits<double>::infinity();

/// From a flow that is neither at rest nor at its end, and whose step may grow at will.
StepState under_way() { return {.steps = 1, .time = 1.0, .dt = 1e6, .dt_before = 1e6}; }

/// Nothing but waves and diffusion limits the step.
StepRule free_rule(TimeScheme scheme) { return {.scheme = scheme, .courant = any}; }

std::vector<double> spread(double from, double to, int count) {
  std::vector<double> values;
  for (int n = 0; n < count; ++n) {
    values.push_back(from * std::pow(to / from, n / (count - 1.0)));
  }
  return values;
}

class StepOf : public testing::TestWithParam<TimeScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, StepOf,
                         testing::Values(TimeScheme::adams_bashforth, TimeScheme::runge_kutta),
                         [](const auto& scheme) {
                           return scheme.param == TimeScheme::runge_kutta ? "RungeKutta"
                                                                          : "AdamsBashforth";
                         });

/// Carried along an axis of `slowest_diffusion` and diffused along that and any others.
TEST_P(StepOf, DampsWavesOfEveryDirection) {
  for (const double steepness : {1.0, max_growth}) {
    for (const double slowest : spread(1e-6, 1.0, 25)) {
      for (const double fastest : spread(slowest, std::max(1.0, slowest), 12)) {
        StepRule rule = free_rule(GetParam());
        rule.slowest_diffusion = slowest;
        rule.fastest_diffusion = fastest;
        const double dt = next_step(rule, under_way(), {.advection = 1.0}).dt;
        for (int n = 1; n <= 60; ++n) {
          const double angle = std::numbers::pi * n / 60;
          const double along = slowest * std::pow(std::sin(0.5 * angle), 2);
          for (int across = 0; across <= 10; ++across) {
            const double decay = along + (fastest - along) * across / 10.0;
            const Complex z = dt * Complex(-decay, std::sin(angle));
            ASSERT_LE(amplification(GetParam(), z, steepness), 1.0 + beyond_one)
                << "dt " << dt << ", diffusion " << slowest << " to " << fastest << ", angle "
                << angle << ", decay " << decay;
          }
        }
      }
    }
  }
}

/// Implicit diffusion of any strength along one, two and three axes, beside explicit diffusion
/// along others.
std::vector<std::vector<double>> implicit_decays(double along) {
  std::vector<std::vector<double>> all;
  for (const double further : {0.0, 1e-3, 0.03, 0.3, 1.0, 3.0, 30.0, 1e3, 1e6}) {
    all.push_back({along + further});
    all.push_back({along, further});
    all.push_back({along, further, 2.0 * further});
  }
  return all;
}

/// Carried along an axis whose diffusion is implicit, or is not.
TEST_P(StepOf, DampsWavesOfEveryDirectionBesideImplicitDiffusion) {
  for (const bool carried_implicitly : {false, true}) {
    for (const double slowest : spread(1e-6, 1e3, 19)) {
      for (const double fastest : {0.0, 0.03, 0.3, 1.0, 30.0}) {
        const double explicitly = carried_implicitly ? fastest : std::max(fastest, slowest);
        StepRule rule = free_rule(GetParam());
        rule.implicit = true;
        rule.slowest_diffusion = slowest;
        rule.fastest_diffusion = explicitly;
        const double dt = next_step(rule, under_way(), {.advection = 1.0}).dt;
        for (int n = 1; n <= 30; ++n) {
          const double angle = std::numbers::pi * n / 30;
          const double along = slowest * std::pow(std::sin(0.5 * angle), 2);
          const double least = carried_implicitly ? 0.0 : along;
          for (const std::vector<double>& decays :
               implicit_decays(carried_implicitly ? dt * along : 0.0)) {
            for (int across = 0; across <= 4; ++across) {
              const double decay = least + (explicitly - least) * across / 4.0;
              const Complex z = dt * Complex(-decay, std::sin(angle));
              ASSERT_LE(amplification(GetParam(), z, decays), 1.0 + beyond_one)
                  << "dt " << dt << ", diffusion " << slowest << " and " << explicitly << ", angle "
                  << angle << ", decay " << decay << ", implicit "
                  << testing::PrintToString(decays);
              ASSERT_LE(amplification(GetParam(), z, decays, max_growth), 1.0 + beyond_one);
            }
          }
        }
      }
    }
  }
}

/// The limits of the ellipse beside implicit diffusion are where the scheme's are.
TEST_P(StepOf, EndsOnTheRealAxisWhereImplicitDiffusionHasItsWorst) {
  const double limit = detail::stability_ellipse(GetParam(), true).diffusion;
  double within = 0.0;
  double beyond = 0.0;
  for (const double decay : spread(1e-3, 1e5, 400)) {
    within = std::max(within, amplification(GetParam(), -limit, std::vector{decay}));
    beyond = std::max(beyond, amplification(GetParam(), -1.02 * limit, std::vector{decay}));
  }
  EXPECT_LE(within, 1.0 + beyond_one);
  EXPECT_GT(beyond, 1.0 + 1e-6);
}

/// What is implicit limits no step by stability.
TEST_P(StepOf, IsBoundedByAdvectionHoweverThinTheCells) {
  Problem problem =
      busy_problem({8, 6, 64}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 1, 0);
  problem.scheme = GetParam();
  problem.axes[2].stretching = 3.0;
  problem.time_step = {.courant = 0.2};
  Diagnosis flow;
  flow.scalars.resize(1);
  const auto step = [&](ImplicitDiffusion implicit) {
    problem.implicit_diffusion = implicit;
    const StepRule rule = step_rule(problem, Grid(problem.axes), flow);
    return next_step(rule, under_way(), {.advection = 10.0});
  };
  EXPECT_EQ(step(ImplicitDiffusion::none).limit, StepLimit::diffusion);
  for (const auto implicit : {ImplicitDiffusion::stretched, ImplicitDiffusion::walls}) {
    EXPECT_EQ(step(implicit).limit, StepLimit::courant);
    EXPECT_NEAR(step(implicit).dt, 0.02, 1e-8);
    EXPECT_GT(step(implicit).dt, 100.0 * step(ImplicitDiffusion::none).dt);
  }
}

/// Nothing moves, and diffusion is implicit along all axes: steps follow what diffuses.
TEST_P(StepOf, FollowsWhatImplicitDiffusionDoesToTheBox) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::no_slip, FlowEnds::no_slip, FlowEnds::no_slip}, 0, 0);
  problem.scheme = GetParam();
  problem.implicit_diffusion = ImplicitDiffusion::walls;
  problem.time_step = {.courant = 0.3};
  const StepState next = next_step(step_rule(problem, Grid(problem.axes), {}), under_way(), {});
  EXPECT_EQ(next.limit, StepLimit::diffusion);
  EXPECT_NEAR(next.dt, 0.1 * 0.8 * 0.8 / (problem.viscosity * std::numbers::pi * std::numbers::pi),
              1e-9);
}

TEST_P(StepOf, IsNotMuchShorterThanStabilityAsks) {
  StepRule rule = free_rule(GetParam());
  rule.fastest_diffusion = 1.0;
  rule.slowest_diffusion = 1.0;
  const double dt = next_step(rule, under_way(), {}).dt;
  EXPECT_GT(amplification(GetParam(), -1.2 * dt), 1.0);
  EXPECT_EQ(next_step(rule, under_way(), {}).limit, StepLimit::diffusion);
  rule = free_rule(TimeScheme::runge_kutta);
  EXPECT_GT(
      amplification(rule.scheme, {0.0, 1.2 * next_step(rule, under_way(), {.advection = 1.0}).dt}),
      1.0);
}

/// Inertial oscillations of a whole box, which nothing damps.
TEST_P(StepOf, LetsInertialOscillationsGrowByAThousandthInAWholeRun) {
  for (const double end_time : {1.0, 1e2, 1e5}) {
    StepRule rule = free_rule(GetParam());
    rule.turning = 0.7;
    rule.end_time = end_time + 1.0;
    const StepState next = next_step(rule, {.steps = 1, .dt = 1e6}, {});
    const double steps = end_time / next.dt;
    const double growth = std::pow(amplification(GetParam(), {0.0, next.dt * 0.7}), steps);
    EXPECT_LT(growth, 1.0 + 1.1e-3) << end_time;
  }
}

/// Waves of wave number k on a step of buoyancy: their frequency is sqrt(b k / 2).
TEST_P(StepOf, DampsInternalWavesOfEveryLength) {
  constexpr double difference = 2.0;
  constexpr double width = 0.01;
  for (const double diffusivity : spread(1e-6, 1e-3, 7)) {
    StepRule rule = free_rule(GetParam());
    rule.min_diffusivity = diffusivity;
    rule.slowest_diffusion = 4.0 * diffusivity / (width * width);
    rule.fastest_diffusion = 2.0 * rule.slowest_diffusion;
    rule.buoyancy_difference = difference;
    const double buoyancy = 0.5 * difference / width;
    const double dt = next_step(rule, under_way(), {.buoyancy = buoyancy}).dt;
    for (const double k : spread(0.1, 1.0 / width, 40)) {
      const Complex z = dt * Complex(-diffusivity * k * k, std::sqrt(0.5 * difference * k));
      EXPECT_LE(amplification(GetParam(), z), 1.0 + beyond_one) << k << ' ' << diffusivity;
    }
  }
}

TEST_P(StepOf, HasTheCourantNumberAskedForAlsoAtItsEnd) {
  StepRule rule = free_rule(GetParam());
  rule.courant = 0.2;
  rule.slowest_diffusion = 10.0;
  const StepState before{.steps = 5, .time = 1.0, .dt = 0.05, .rates = {.advection = 3.0}};
  const StepState steady = next_step(rule, before, {.advection = 3.0});
  EXPECT_DOUBLE_EQ(steady.dt, std::min(0.2 / 3.0, max_growth * 0.05));
  const StepState faster = next_step(rule, before, {.advection = 4.0});
  EXPECT_DOUBLE_EQ(faster.dt * (4.0 + faster.dt * 1.0 / 0.05), 0.2);
  EXPECT_EQ(faster.limit, StepLimit::courant);
  EXPECT_DOUBLE_EQ(faster.largest_courant, faster.dt * 4.0);
}

TEST(StepControl, GrowsByATenthAtMost) {
  StepRule rule = free_rule(TimeScheme::runge_kutta);
  rule.courant = 0.5;
  const StepState next = next_step(rule, {.steps = 3, .dt = 0.01}, {.advection = 1.0});
  EXPECT_DOUBLE_EQ(next.dt, 0.011);
  EXPECT_EQ(next.limit, StepLimit::growth);
  EXPECT_EQ(next.steps, 4);
  EXPECT_EQ(next.dt_before, 0.01);
}

TEST(StepControl, EndsWhereTheRunDoes) {
  StepRule rule{.fixed = 0.1, .end_time = 0.25};
  StepState now;
  for (int n = 0; n < 2; ++n) {
    now = next_step(rule, now, {});
    EXPECT_EQ(now.limit, StepLimit::given);
  }
  now = next_step(rule, now, {});
  EXPECT_EQ(now.limit, StepLimit::end);
  EXPECT_EQ(now.time, 0.25);
  rule.end_time = 0.1 * (1.0 + 1e-9);
  EXPECT_EQ(next_step(rule, {}, {}).time, rule.end_time) << "what rounding leaves goes along";
}

TEST(StepControl, KeepsGoingWhereTheFlowIsNoLongerFinite) {
  const StepState next = next_step(free_rule(TimeScheme::adams_bashforth), {.steps = 1, .dt = 0.1},
                                   {.advection = std::nan("")});
  EXPECT_GT(next.dt, 0.0);
}

TEST(StepControl, NotesHowCloseAFixedStepComesToInstability) {
  const StepRule rule{.scheme = TimeScheme::runge_kutta, .fixed = 0.1};
  const StepState close = next_step(rule, {}, {.advection = 17.3});
  EXPECT_NEAR(close.min_margin, 1.0, 1e-12);
  EXPECT_NEAR(next_step(rule, close, {.advection = 1.0}).min_margin, 1.0, 1e-12);
  EXPECT_NEAR(next_step(rule, close, {.advection = 34.6}).min_margin, 0.5, 1e-12);
}

TEST(StepControl, TheLeastNumberOfStepsNeverOvershoots) {
  for (const double fixed : {0.0, 0.013}) {
    StepRule rule = free_rule(TimeScheme::runge_kutta);
    rule.fixed = fixed;
    rule.longest = 0.5;
    rule.at_rest = 0.01;
    for (const double end : {0.01, 0.1, 0.37, 3.0, 3.1415926}) {
      rule.end_time = end;
      rule.at_rest = 0.01;
      StepState now;
      int looks = 0;
      while (now.time < end) {
        for (std::int64_t n = min_steps_to(rule, now, end); n > 0; --n) {
          ASSERT_LT(now.time, end);
          now = next_step(rule, now, {});
          rule.at_rest = any;
        }
        ++looks;
      }
      EXPECT_LT(looks, 12) << end << " takes " << now.steps << " steps";
    }
  }
}

TEST(StepRule, FluidAtRestIsNotDrivenBeyondTheCourantNumberWithinAStep) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::no_slip, FlowEnds::periodic, FlowEnds::free_slip}, 0, 0);
  problem.time_step = {.fixed = 0.0, .courant = 0.25};
  const Grid grid(problem.axes);
  Diagnosis at_rest;
  at_rest.scalars.resize(problem.scalars.size());
  const double by_diffusion = next_step(step_rule(problem, grid, at_rest), {}, {}).dt;
  const double per_cell =
      static_cast<double>(problem.axes[0].cells) / (problem.axes[0].upper - problem.axes[0].lower);
  const double strong = 1e6 / (by_diffusion * by_diffusion * per_cell);
  const StepState driven =
      next_step(step_rule(problem, grid, at_rest, {.force = {strong, 0.0, 0.0}}), {}, {});
  EXPECT_NEAR(strong * driven.dt * driven.dt * per_cell, 0.25, 1e-12);
  EXPECT_EQ(driven.limit, StepLimit::forces);
}

/// The first step of a fluid at rest at temperature 0 in a box of 10 x 1 x 20 cells; `set` changes
/// the walls across z and those across y, along which it falls.
double step_from_rest(const std::function<void(Problem&)>& set,
                      const LargestSources& sources = {}) {
  Problem problem;
  problem.viscosity = 1e-9;
  problem.scalars.push_back({.diffusivity = 1e-9, .buoyancy = {0.0, 0.0, 2.0}});
  problem.axes[0] = {.upper = 1.0, .cells = 10};
  problem.axes[1] = {.upper = 1.0, .cells = 1, .periodic = true};
  problem.axes[2] = {.upper = 1.0, .cells = 20};
  problem.time_step = {.fixed = 0.0, .courant = 0.25};
  problem.end_time = 1e6;
  set(problem);
  Diagnosis at_rest;
  at_rest.scalars.resize(1);
  const StepState next =
      next_step(step_rule(problem, Grid(problem.axes), at_rest, sources), {}, {});
  EXPECT_EQ(next.limit, StepLimit::forces);
  return next.dt;
}

TEST(StepRule, KnowsWhatWallsWillMakeOfAFluidAtRest) {
  const double dt = step_from_rest([](Problem& problem) {
    problem.scalars[0].walls[0] = {WallScalar::fixed(3.0), WallScalar::fixed(0.0)};
  });
  EXPECT_NEAR(2.0 * 1.5 * 20.0 * dt * dt, 0.25, 1e-12);
  const double in_surroundings = step_from_rest([](Problem& problem) {
    problem.scalars[0].walls[0] = {WallScalar::mixed(1.0, -3.0), WallScalar::insulating()};
  });
  EXPECT_DOUBLE_EQ(in_surroundings, dt);
}

/// Cells that are thin across a wall and wide along it: the pressure leaves little of a force
/// towards the wall there.
TEST(StepRule, LetsThePressureCarryAFluidBesideWalls) {
  const auto hot = [](Problem& problem) {
    problem.scalars[0].walls[0] = {WallScalar::fixed(3.0), WallScalar::fixed(0.0)};
  };
  const auto step = [&](std::int64_t cells_across, double stretching) {
    return step_from_rest([&](Problem& problem) {
      hot(problem);
      problem.axes[0].cells = cells_across;
      problem.axes[2].stretching = stretching;
    });
  };
  // Wave number pi * 2 across: of the cell of 1/20 beside the wall remain pi / 10.
  const double wide = step(2, 0.0);
  const double at_half = 2.0 * std::numbers::pi * 4.0 / 20.0;  // the first face with all of it
  EXPECT_GT(at_half, 1.0);
  EXPECT_NEAR(2.0 * 1.5 * 20.0 * wide * wide, 0.25, 1e-12);
  // By stretching, cells at walls become a hundredth; steps from rest stay within a third.
  EXPECT_GT(step(2, 3.0), 0.3 * wide);
  EXPECT_LT(step(200, 3.0), 0.3 * wide);
}

TEST(StepRule, KnowsThatNoPressureCarriesAFluidBetweenPeriodicEnds) {
  const double dt = step_from_rest([](Problem& problem) {
    problem.axes[2].periodic = true;
    problem.scalars[0].walls[0] = {WallScalar::fixed(5.0), WallScalar::fixed(4.0)};
  });
  EXPECT_NEAR(2.0 * 5.0 * 20.0 * dt * dt, 0.25, 1e-12);
}

TEST(StepRule, KnowsWhatSourcesAndFluxesMakeOfAFluidAtRest) {
  const double by_source = step_from_rest([](Problem&) {}, {.force = {}, .heating = {7.0}});
  EXPECT_NEAR(2.0 * 7.0 * 20.0 * by_source * by_source * by_source / 2.0, 0.25, 1e-12);
  const double by_flux = step_from_rest([](Problem& problem) {
    problem.scalars[0].walls[0] = {WallScalar::heated(-0.7), WallScalar::heated(0.1)};
  });
  EXPECT_NEAR(by_flux, by_source, 1e-12);
  const double by_both = step_from_rest(
      [](Problem& problem) {
        problem.scalars[0].walls[0] = {WallScalar::fixed(3.0), WallScalar::fixed(0.0)};
      },
      {.force = {}, .heating = {7.0}});
  EXPECT_NEAR(2.0 * 1.5 * 20.0 * by_both * by_both + 2.0 * 7.0 * 10.0 * by_both * by_both * by_both,
              0.25, 1e-9);
}

TEST(StepClock, NotesTheCourantNumberThatAStepCameTo) {
  StepClock clock;
  clock.rule = {.courant = 0.5, .longest = 0.1};
  clock.choose();
  clock.noted.advection = 3.0;
  clock.end_step();
  EXPECT_DOUBLE_EQ(clock.progress.largest_courant_at_end, 0.3);
  EXPECT_DOUBLE_EQ(clock.progress.largest_courant, 0.0);
  clock.noted.advection = 1.0;
  clock.end_step();
  EXPECT_DOUBLE_EQ(clock.progress.largest_courant_at_end, 0.3);
}

/// A rule by which Courant number, stability and growth each limit some steps.
StepRule rule_to_plan_by() {
  StepRule rule = free_rule(TimeScheme::adams_bashforth);
  rule.planned = true;
  rule.courant = 0.35;
  rule.slowest_diffusion = 0.05;
  rule.fastest_diffusion = 0.5;
  rule.min_diffusivity = 1.0;
  rule.buoyancy_difference = 1.0;
  return rule;
}

/// Rates of a flow that gains and loses speed, slowly and at once.
class RandomRates {
 public:
  FlowRates next() {
    const double kind = uniform_(random_);
    advection_ *= kind < 0.9 ? 1.0 + 0.04 * (uniform_(random_) - 0.5) : 0.7 + uniform_(random_);
    advection_ = advection_ > 10.0 ? 0.2 : std::max(0.1, advection_);
    return {.advection = advection_, .buoyancy = 0.02 * uniform_(random_)};
  }

 private:
  std::mt19937 random_{20261130};
  std::uniform_real_distribution<double> uniform_{0.0, 1.0};
  double advection_ = 1.0;
};

TEST(PlannedSteps, PassNoBoundOfTheFlowThatTheyStartFrom) {
  const StepRule rule = rule_to_plan_by();
  RandomRates rates;
  StepState now;
  int by_plan = 0;
  int shortened = 0;
  for (int n = 0; n < 3000; ++n) {
    const StepState last = now;
    const FlowRates of_flow = rates.next();
    now = next_step(rule, last, of_flow);
    const double stable = detail::longest_stable_step(rule, of_flow).dt;
    ASSERT_LE(now.dt * of_flow.advection, (1.0 + 1e-15) * rule.courant) << n;
    ASSERT_LE(now.dt, detail::stability_margin_of_planned * stable) << n;
    if (n > 1) {
      const StepState planned = planned_step(rule, last);
      ASSERT_LE(now.dt, planned.dt) << n;
      ASSERT_LE(planned.dt, max_growth * last.dt) << n;
      const bool fits = planned.dt * of_flow.advection <= rule.courant &&
                        planned.dt <= detail::stability_margin_of_planned * stable;
      ASSERT_EQ(now.dt == planned.dt, fits) << n;
      ASSERT_TRUE(!fits || now.time == planned.time) << n;
      fits ? ++by_plan : ++shortened;
    }
  }
  EXPECT_GT(by_plan, 1000);
  EXPECT_GT(shortened, 100);
}

TEST(PlannedSteps, KeepTheMarginsOfASteadyFlow) {
  const StepRule rule = rule_to_plan_by();
  for (const double advection : {0.1, 1.0, 3.0}) {
    const FlowRates rates{.advection = advection, .buoyancy = 0.5};
    StepState now;
    for (int n = 0; n < 200; ++n) {
      now = next_step(rule, now, rates);
    }
    const double by_courant = rule.courant / advection / (1.0 + detail::margin_of_plan);
    const double by_stability =
        detail::stability_margin * detail::longest_stable_step(rule, rates).dt;
    EXPECT_DOUBLE_EQ(now.dt, std::min(by_courant, by_stability)) << advection;
  }
}

TEST(PlannedSteps, AreThoseOfAdamsBashforthWithoutLineSolvesAndBounds) {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 1, 0);
  EXPECT_TRUE(are_steps_planned(problem));
  Problem other = problem;
  other.scheme = TimeScheme::runge_kutta;
  EXPECT_FALSE(are_steps_planned(other));
  other = problem;
  other.implicit_diffusion = ImplicitDiffusion::walls;
  EXPECT_FALSE(are_steps_planned(other));
  other = problem;
  other.scalars.front().advection = Advection::bounded;
  EXPECT_FALSE(are_steps_planned(other));
}

/// A clock whose steps begin before the ones before them have ended, as StagedIntegrator has it,
/// and one whose steps do not.
class ClocksOfTwoKinds {
 public:
  explicit ClocksOfTwoKinds(const StepRule& rule) {
    usual.rule = late.rule = rule;
    usual.choose();
    late.choose();
  }

  /// From a flow with this rate of buoyancy to one with that rate of advection. Returns whether the
  /// step was another than planned.
  bool step(double buoyancy, double advection) {
    const double dt = usual.next.dt;
    usual.noted.buoyancy = buoyancy;
    usual.noted.advection = advection;
    usual.end_step();
    bool is_another = false;
    if (pending_) {
      late.noted.advection = advection_;
      ahead_.buoyancy = buoyancy;
      const StepState due = StepAhead::due(late);
      EXPECT_EQ(due.dt, dt);
      is_another = ahead_.step.dt != dt;
      ahead_.begin(late);
    } else {
      late.noted.buoyancy = buoyancy;
    }
    ahead_.plan(late);
    pending_ = true;
    advection_ = advection;
    return is_another;
  }

  void complete() {
    if (pending_) {
      late.noted.advection = advection_;
      late.end_step();
      pending_ = false;
    }
  }

  StepClock usual;
  StepClock late;

 private:
  StepAhead ahead_;
  double advection_ = 0.0;  ///< of the flow that the last step led to
  bool pending_ = false;
};

void expect_same_clock(const StepClock& found, const StepClock& expected) {
  for (const auto& [one, other] :
       {std::pair{&found.progress, &expected.progress}, std::pair{&found.next, &expected.next}}) {
    EXPECT_EQ(one->steps, other->steps);
    EXPECT_EQ(one->time, other->time);
    EXPECT_EQ(one->dt, other->dt);
    EXPECT_EQ(one->dt_before, other->dt_before);
    EXPECT_EQ(one->weight, other->weight);
    EXPECT_EQ(one->limit, other->limit);
    EXPECT_EQ(one->rates.advection, other->rates.advection);
    EXPECT_EQ(one->rates.buoyancy, other->rates.buoyancy);
    EXPECT_EQ(one->largest_courant, other->largest_courant);
    EXPECT_EQ(one->largest_courant_at_end, other->largest_courant_at_end);
    EXPECT_EQ(one->min_margin, other->min_margin);
    EXPECT_EQ(one->gain, other->gain);
    EXPECT_EQ(one->stable, other->stable);
  }
}

class StepAheadOfClock : public testing::TestWithParam<double> {};

/// Whenever it is looked at, and also where the run ends.
TEST_P(StepAheadOfClock, LeavesTheClockOfUsualSteps) {
  for (const int between_looks : {1, 2, 3, 7, 50}) {
    StepRule rule = rule_to_plan_by();
    rule.fixed = GetParam();
    rule.end_time = 30.0;
    ClocksOfTwoKinds clocks(rule);
    RandomRates rates;
    int others = 0;
    for (int n = 0; clocks.usual.progress.time < rule.end_time; ++n) {
      const FlowRates next = rates.next();
      others += clocks.step(next.buoyancy, next.advection) ? 1 : 0;
      if (n % between_looks == 0 || clocks.usual.progress.time >= rule.end_time) {
        clocks.complete();
        expect_same_clock(clocks.late, clocks.usual);
      }
    }
    EXPECT_EQ(others > 0, rule.fixed == 0.0 && between_looks > 1);
  }
}

INSTANTIATE_TEST_SUITE_P(FixedAndChosen, StepAheadOfClock, testing::Values(0.013, 0.0));

TEST(StepRule, KnowsTheWidestCells) {
  Problem problem = busy_problem({6, 5, 7}, {}, 0, 0);
  problem.axes[0] = {.upper = 1.0, .cells = 1, .periodic = true};
  problem.axes[1] = {.upper = 1.0, .cells = 20};
  problem.axes[2] = {.upper = 1.0, .cells = 10};
  problem.viscosity = 0.5;
  const StepRule rule = step_rule(problem, Grid(problem.axes), {});
  EXPECT_DOUBLE_EQ(rule.slowest_diffusion, 4.0 * 0.5 * 100.0);
  EXPECT_DOUBLE_EQ(rule.fastest_diffusion, 4.0 * 0.5 * 500.0);
}

}  // namespace
}  // namespace bankfull::convection
