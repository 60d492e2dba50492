#include "bankfull/core/base/error.hpp"
#include "tests/alone.hpp"
#include "tests/counting.hpp"

#include "jacobi/point.hpp"
#include "jacobi/run.hpp"
#include "jacobi/sweep.hpp"
#include <gtest/gtest.h>

namespace bankfull::jacobi {
namespace {

TEST(Jacobi, LeavesTheSolutionAlone) {
  // u = i^2 + 2 j^2 + 3 k^2 has -lap(u) = -12.
  EXPECT_DOUBLE_EQ(smoothed(0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, -12.0, 0.1), 0.0);
}

class JacobiGrids : public ::testing::TestWithParam<Extents> {};

TEST_P(JacobiGrids, SweepMovesAndComputesWhatIsStated) {
  using Value = counting::Counted<double>;
  const Extents cells = GetParam();
  FieldSet<Value> fields(Layout(cells, 1, sizeof(Value)), field_count, Device::cpu());
  const Team team(1);  // this thread, whose ledger counts
  for_each(team, grown(box_of(cells), 1), [&](auto i, auto j, auto k) {
    const bool inside = i >= 0 && i < cells.ni && j >= 0 && j < cells.nj && k >= 0 && k < cells.nk;
    if (!inside) {
      counting::Ledger::mine().leave_out(&fields[0](i, j, k));
    }
  });
  counting::expect_equal(sweep_traffic(cells),
                         counting::traffic_of([&] { sweep(team, fields, 0, 0.5); }));
}

TEST_P(JacobiGrids, RunDampsAWaveByItsEigenvalue) {
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
  counting::expect_equal(result.measurements.front().work.traffic, 7.0 * sweep_traffic(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Shapes, JacobiGrids,
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
