#include "bankfull/workloads/himeno/scaling.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/alone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull::himeno {
namespace {

const GridSize xl{512, 512, 1024};

std::int64_t cost_of(const GridSize& size, const RankGrid& cuts, int strided_cost) {
  const Extents n = size.interior();
  const Extents cells{cuts.i * n.ni, cuts.j * n.nj, cuts.k * n.nk};
  return face_cells(Decomposition(cells, cuts), strided_cost);
}

TEST(WeakGrid, EveryRankHasThePointsOfTheSize) {
  for (int ranks = 1; ranks <= 12; ++ranks) {
    const WeakGrid weak = weak_grid(xl, ranks);
    EXPECT_EQ(weak.cuts.count(), ranks);
    EXPECT_EQ(weak.grid.updated_points(), ranks * xl.updated_points());
    const Decomposition decomposition(weak.grid.interior(), weak.cuts);
    EXPECT_EQ(decomposition.smallest_block().count(), decomposition.largest_block().count());
    EXPECT_EQ(decomposition.largest_block().ni, xl.interior().ni);
  }
}

TEST(WeakGrid, SendsLeast) {
  for (const int strided_cost : {1, 8}) {
    const WeakGrid weak = weak_grid(xl, 4, {.strided_cost = strided_cost});
    const std::int64_t least = cost_of(xl, weak.cuts, strided_cost);
    for (const RankGrid& cuts : {RankGrid{4, 1, 1}, RankGrid{2, 2, 1}, RankGrid{2, 1, 2},
                                 RankGrid{1, 2, 2}, RankGrid{1, 4, 1}, RankGrid{1, 1, 4}}) {
      EXPECT_GE(cost_of(xl, cuts, strided_cost), least) << to_string(cuts);
    }
  }
}

TEST(WeakGrid, AmongEqualsCutsAlongIThenJ) {
  // All three faces of a cube are equal.
  EXPECT_EQ(weak_grid({10, 10, 10}, 2).cuts, (RankGrid{2, 1, 1}));
  EXPECT_EQ(weak_grid({10, 10, 10}, 4).cuts, (RankGrid{4, 1, 1}));
  EXPECT_EQ(weak_grid({10, 10, 10}, 2, {.max_grid = {1, 2, 2}}).cuts, (RankGrid{1, 2, 1}));
}

TEST(WeakGrid, OneRankHasTheSizeItself) { EXPECT_EQ(weak_grid(xl, 1).grid, xl); }

ScalingPoint point(int ranks, double seconds) {
  return {.ranks = ranks, .cores = ranks, .seconds = seconds};
}

TEST(Efficiency, StrongComparesTheTimeOfTheSameWork) {
  EXPECT_DOUBLE_EQ(speedup_of(Scaling::strong, point(1, 8.0), point(4, 2.5)), 3.2);
  EXPECT_DOUBLE_EQ(efficiency_of(Scaling::strong, point(1, 8.0), point(4, 2.5)), 0.8);
  // Relative to the smallest number of ranks, whatever that is.
  EXPECT_DOUBLE_EQ(efficiency_of(Scaling::strong, point(2, 8.0), point(6, 4.0)), 2.0 / 3.0);
}

TEST(Efficiency, WeakComparesTheTimeOfWorkThatGrows) {
  EXPECT_DOUBLE_EQ(efficiency_of(Scaling::weak, point(2, 1.0), point(8, 1.25)), 0.8);
  EXPECT_DOUBLE_EQ(speedup_of(Scaling::weak, point(2, 1.0), point(8, 1.25)), 3.2);
}

TEST(Efficiency, OnTheSameCoresOnlyTheTimeCounts) {
  const ScalingPoint first{.ranks = 1, .cores = 4, .seconds = 3.0};
  const ScalingPoint then{.ranks = 4, .cores = 4, .seconds = 2.0};
  EXPECT_DOUBLE_EQ(efficiency_of(Scaling::strong, first, then), 1.5);
  EXPECT_DOUBLE_EQ(efficiency_of(Scaling::weak, first, then), 6.0);
}

ScalingProblem small_problem() {
  ScalingProblem scaling;
  scaling.problem.grid = {9, 9, 9};
  scaling.rank_counts = {1};
  return scaling;
}

TEST(ScalingProblem, SharesOutTheThreads) {
  ScalingProblem scaling = small_problem();
  scaling.total_threads = 8;
  EXPECT_EQ(problem_on(scaling, 1).threads, 8);
  EXPECT_EQ(problem_on(scaling, 3).threads, 2);
  EXPECT_EQ(problem_on(scaling, 16).threads, 1);
}

TEST(ScalingProblem, WeakGridsGrowAndStrongOnesStay) {
  ScalingProblem scaling = small_problem();
  EXPECT_EQ(problem_on(scaling, 4).grid, scaling.problem.grid);
  scaling.mode = Scaling::weak;
  EXPECT_EQ(problem_on(scaling, 4).grid.updated_points(),
            4 * scaling.problem.grid.updated_points());
}

TEST(ScalingProblem, AGridOfRanksIsForTheNumberThatItHas) {
  ScalingProblem scaling = small_problem();
  scaling.problem.rank_grid = RankGrid{1, 4, 1};
  EXPECT_EQ(problem_on(scaling, 4).rank_grid, (RankGrid{1, 4, 1}));
  EXPECT_FALSE(problem_on(scaling, 2).rank_grid);
  scaling.mode = Scaling::weak;
  EXPECT_EQ(problem_on(scaling, 4).grid, (GridSize{9, 30, 9}));
}

TEST(ScalingProblem, WeakGridsRespectTheSchedule) {
  ScalingProblem scaling = small_problem();
  scaling.mode = Scaling::weak;
  scaling.problem.grid = {100, 100, 4};
  scaling.problem.schedules = {Schedule::fused};
  EXPECT_EQ(problem_on(scaling, 2).rank_grid, (RankGrid{2, 1, 1}));
  scaling.problem.overlap = Overlap::two_part;
  EXPECT_EQ(problem_on(scaling, 4).rank_grid, (RankGrid{4, 1, 1}));
}

TEST(ScalingProblem, IsRefusedWhereItMakesNoSense) {
  make_plan(small_problem(), alone());
  const auto refused = [](const char* words, auto change) {
    ScalingProblem scaling = small_problem();
    change(scaling);
    try {
      make_plan(scaling, alone());
      FAIL() << words;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
    }
  };
  refused("mpirun -n 2", [](ScalingProblem& s) { s.rank_counts = {1, 2}; });
  refused("--ranks", [](ScalingProblem& s) { s.rank_counts = {}; });
  refused("--schedule", [](ScalingProblem& s) {
    s.problem.schedules = {Schedule::tuned, Schedule::direct};
  });
  refused("--ranks-grid 2x1x1", [](ScalingProblem& s) { s.problem.rank_grid = RankGrid{2, 1, 1}; });
  refused("--same-cores", [](ScalingProblem& s) {
    s.total_threads = 2;
    s.problem.device = Device::cuda(0);
  });
  refused("--repeat 0", [](ScalingProblem& s) { s.problem.repeats = 0; });
}

}  // namespace
}  // namespace bankfull::himeno
