#include "bankfull/workloads/convection/end_of_run.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/workloads/convection/kept_state.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>

namespace bankfull::convection {
namespace {

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

Problem conducting_layer(const Until& until) {
  Problem problem;
  problem.axes[0].periodic = problem.axes[1].periodic = true;
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  problem.steps = 1000;
  problem.time_step.fixed = 1e-4;
  problem.until = until;
  return problem;
}

Diagnosis flow_with_nusselt(double nusselt) {
  Diagnosis flow;
  flow.kinetic_energy = 1.0;
  Diagnosis::OfScalar& scalar = flow.scalars.emplace_back();
  scalar.inflow[2] = {nusselt, -nusselt};
  scalar.transport[2] = nusselt - 1.0;
  scalar.dissipation = nusselt;
  return flow;
}

/// The step before which a run ends whose Nusselt number at step n is that, looked at every step of
/// length 1.
template <class NusseltAt>
EarlyEnd judged(const Problem& problem, int steps, const NusseltAt& nusselt_at) {
  EarlyEnd early(problem);
  NusseltWindow window(problem);
  for (int n = 0; n <= steps; ++n) {
    window.add(n, flow_with_nusselt(nusselt_at(n)), {});
    early.judge(n, n + 1, window);
  }
  return early;
}

double settles_at_30(int step) { return step < 30 ? 1.0 + 0.1 * step : 4.0 + 0.004 * (step % 2); }

TEST(EarlyEnd, ASteadyRunEndsOnceTheWindowIsSteady) {
  const Problem problem = conducting_layer({.steady = 2e-3, .window = 12.0});
  const EarlyEnd early = judged(problem, 100, settles_at_30);
  EXPECT_EQ(early.last_step(), 42 + 2) << "with the steps of its budgets";
  EXPECT_EQ(early.reason(), RunEnd::steady);
  const EarlyEnd stricter =
      judged(conducting_layer({.steady = 5e-4, .window = 12.0}), 100, settles_at_30);
  EXPECT_EQ(stricter.last_step(), no_end);
  EXPECT_EQ(stricter.reason(), std::nullopt);
}

TEST(EarlyEnd, ARunConvergesWithTheErrorOfItsAverages) {
  const auto swinging = [](int step) { return 4.0 + 0.4 * (step % 4 < 2 ? 1.0 : -1.0); };
  const EarlyEnd early =
      judged(conducting_layer({.converged = 0.01, .window = 5.0}), 200, swinging);
  EXPECT_EQ(early.reason(), RunEnd::converged);
  EXPECT_LT(early.last_step(), 100);
  const EarlyEnd longer =
      judged(conducting_layer({.converged = 0.01, .window = 80.0}), 200, swinging);
  EXPECT_GE(longer.last_step(), 160 + 2) << "averages are over half of the run";
  EXPECT_LE(longer.last_step(), 161 + 2) << "and not every look is judged";
  const EarlyEnd rising = judged(conducting_layer({.converged = 0.01, .window = 5.0}), 200,
                                 [](int step) { return 1.0 + step; });
  EXPECT_EQ(rising.last_step(), no_end);
}

TEST(EarlyEnd, NothingEndsARunThatDoesNotAskForIt) {
  EXPECT_EQ(judged(conducting_layer({}), 100, [](int) { return 1.0; }).last_step(), no_end);
}

TEST(EarlyEnd, WhatWasDecidedStaysUnlessTheBoundsChange) {
  const Problem problem = conducting_layer({.steady = 2e-3, .window = 12.0});
  KeptState saved;
  judged(problem, 100, settles_at_30).save(saved);
  EarlyEnd same(problem);
  same.restore(saved);
  EXPECT_EQ(same.last_step(), 44);
  EXPECT_EQ(same.reason(), RunEnd::steady);
  EarlyEnd other(conducting_layer({.steady = 1e-3, .window = 12.0}));
  other.restore(saved);
  EXPECT_EQ(other.last_step(), no_end);
  KeptState undecided;
  judged(problem, 20, settles_at_30).save(undecided);
  same.restore(undecided);
  EXPECT_EQ(same.last_step(), no_end);
}

std::string refusal_of_until(const Problem& problem) {
  try {
    problem.validate();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.setting(), "time.until");
    return error.what();
  }
  return "";
}

TEST(EarlyEnd, IsOfNusseltNumbersAndAWindow) {
  EXPECT_EQ(refusal_of_until(conducting_layer({.steady = 1e-3, .window = 1.0})), "");
  EXPECT_NE(refusal_of_until(conducting_layer({.steady = 1e-3})).find("window"), std::string::npos);
  Problem heated = conducting_layer({.converged = 1e-3, .window = 1.0});
  heated.scalars.front().walls[2][0] = WallScalar::heated(1.0);
  EXPECT_NE(refusal_of_until(heated).find("it has none"), std::string::npos);
}

}  // namespace
}  // namespace bankfull::convection
