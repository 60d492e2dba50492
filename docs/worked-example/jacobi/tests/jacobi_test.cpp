#include "bankfull/core/base/error.hpp"
#include "tests/alone.hpp"
#include "tests/counting.hpp"

#include "jacobi/point.hpp"
#include "jacobi/run.hpp"
#include "jacobi/smoother.hpp"
#include <gtest/gtest.h>

namespace bankfull::jacobi {
namespace {

TEST(Jacobi, PointCountsItsOperations) {
  using Value = counting::Counted<double>;
  const Value one = 1.0;
  const Traffic counted =
      counting::traffic_of([&] { smoothed<Value>(one, one, one, one, one, one, one, one, one); });
  EXPECT_EQ(counted.flops, smoothed_flops);
}

TEST(Jacobi, LeavesTheSolutionAlone) {
  // u = i^2 + 2 j^2 + 3 k^2 has -lap(u) = -12.
  EXPECT_DOUBLE_EQ(smoothed(0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, -12.0, 0.1), 0.0);
}

class JacobiRun : public ::testing::TestWithParam<Extents> {};

TEST_P(JacobiRun, DampsAWaveByItsEigenvalue) {
  NoProgress progress;
  Problem problem;
  problem.cells = GetParam();
  problem.sweeps = 7;
  problem.repeats = 1;
  problem.threads = 2;
  const RunResult result =
      run(make_plan(problem, alone()), {.ranks = alone(), .progress = progress});
  ASSERT_EQ(result.checks.size(), 1U);
  EXPECT_TRUE(result.verified()) << result.checks.front().deviation();
  ASSERT_EQ(result.measurements.size(), 1U);
  const double words = 3.0 * 7.0 * static_cast<double>(GetParam().count());
  EXPECT_EQ(result.measurements.front().work.traffic.bytes(), 8.0 * words);
}

INSTANTIATE_TEST_SUITE_P(Shapes, JacobiRun,
                         ::testing::Values(Extents{1, 1, 1}, Extents{5, 3, 17},
                                           Extents{16, 33, 2}));

TEST(Jacobi, RefusesGridsWhoseBytesOverflow) {
  Problem problem;
  problem.cells = {2000000, 2000000, 2000000};
  EXPECT_THROW(make_plan(problem, alone(), CeilingRule::none, Shortage::reported), UsageError);
}

TEST(Jacobi, RefusesAWeightThatDoesNotConverge) {
  Problem problem;
  problem.omega = 1.5;
  EXPECT_THROW(make_plan(problem, alone()), UsageError);
}

}  // namespace
}  // namespace bankfull::jacobi
