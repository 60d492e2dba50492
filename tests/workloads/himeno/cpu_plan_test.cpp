#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::himeno {
namespace {

TEST(TeamGrid, BlocksCoverEveryRowOnce) {
  for (const Extents n : {Extents{1, 1, 5}, Extents{7, 3, 5}, Extents{30, 30, 62}}) {
    for (const int threads : {1, 2, 3, 7, 16}) {
      const TeamGrid grid = split_team(n, threads, 3);
      EXPECT_LE(grid.threads(), threads);
      std::vector<int> visits(static_cast<std::size_t>(n.ni * n.nj));
      for (int thread = 0; thread < grid.threads(); ++thread) {
        const Block block = grid.block(n, thread);
        EXPECT_GT(block.planes.size() * block.rows.size(), 0);
        for (std::int64_t i = block.planes.begin; i < block.planes.end; ++i) {
          for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j) {
            ++visits[static_cast<std::size_t>(i * n.nj + j)];
          }
        }
      }
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
    }
  }
}

TEST(TeamGrid, AmongEqualSplitsWholePlanesStayTogether) {
  EXPECT_EQ(split_team({254, 254, 510}, 2).i, 2);
}

TEST(PlanFused, AlwaysFusesAndStaysInItsBudget) {
  const CacheShare share{.l2 = std::int64_t{1} << 20, .l3 = std::int64_t{8} << 20};
  for (const StandardSize& size : standard_sizes()) {
    const Layout layout(size.grid.interior(), 1, sizeof(float));
    for (const int threads : {1, 2, 8, 64}) {
      const FusedPassPlan plan = plan_fused(layout, sizeof(float), threads, share);
      EXPECT_GE(plan.sweeps, 2) << size.name;
      EXPECT_LE(plan.sweeps, max_fused_sweeps);
      EXPECT_GE(plan.strip_rows, 2);
      if (plan.strip_rows > 2) {
        const std::int64_t coefficients =
            plan.strip_rows * layout.row_pitch() * coefficient_count * plan.sweeps * 4;
        EXPECT_LE(coefficients, share.l3);
      }
    }
  }
}

TEST(PlanFused, MoreCacheNeverMeansFewerRows) {
  const Layout layout(GridSize{256, 256, 512}.interior(), 1, sizeof(float));
  const auto rows = [&](std::int64_t l3) {
    return plan_fused(layout, sizeof(float), 2, {.l2 = 1 << 19, .l3 = l3}, 4).strip_rows;
  };
  EXPECT_LE(rows(std::int64_t{2} << 20), rows(std::int64_t{4} << 20));
  EXPECT_LE(rows(std::int64_t{4} << 20), rows(std::int64_t{16} << 20));
}

TEST(PlanFused, LargeSecondLevelCachesHoldStripsThatAreSweptRowByRow) {
  const auto plan_with = [](std::int64_t l2_mib, const GridSize& grid) {
    const Layout layout(grid.interior(), 1, sizeof(float));
    return plan_fused(layout, sizeof(float), 16, {.l2 = l2_mib << 20, .l3 = 18 << 20});
  };
  const GridSize large{256, 256, 512};
  const FusedPassPlan plan = plan_with(2, large);
  EXPECT_TRUE(plan.row_by_row);
  const std::int64_t row_bytes = 512 * 4;
  EXPECT_LE(plan.strip_rows * row_bytes * coefficient_count * plan.sweeps, 2 << 20);
  EXPECT_FALSE(plan_with(1, large).row_by_row);
  // Rows of which too few fit.
  EXPECT_FALSE(plan_with(2, {512, 512, 4096}).row_by_row);
}

FusedPassPlan plan_on(const GridSize& grid, int threads, std::int64_t l2_mib) {
  const Layout layout(grid.interior(), 1, sizeof(float));
  return plan_fused(layout, sizeof(float), threads, {.l2 = l2_mib << 20, .l3 = 4 << 20});
}

TEST(PlanFused, BlocksHaveManyStripsThatOthersCanTakeAndLittleHalo) {
  const GridSize large{256, 256, 512};
  const FusedPassPlan plan = plan_on(large, 16, 2);
  EXPECT_TRUE(plan.row_by_row);
  EXPECT_EQ(plan.sweeps, 4);
  EXPECT_EQ(plan.strip_rows, 8);
  EXPECT_EQ(plan.grid.i, 8);
  EXPECT_EQ(plan.grid.j, 2);
  for (const int threads : {1, 2, 3, 5}) {
    EXPECT_EQ(plan_on(large, threads, 2).grid.i, threads);
  }
}

TEST(PlanFused, StripsInLargeSecondLevelCachesMayHaveFourRows) {
  const Layout layout(GridSize{256, 256, 512}.interior(), 1, sizeof(double));
  const FusedPassPlan plan =
      plan_fused(layout, sizeof(double), 16, {.l2 = 2 << 20, .l3 = 18 << 20});
  EXPECT_TRUE(plan.row_by_row);
  EXPECT_EQ(plan.sweeps, 4);
  EXPECT_EQ(plan.strip_rows, 4);
  EXPECT_EQ(plan.grid.i, 8);
  EXPECT_EQ(plan.grid.j, 2);
}

TEST(PlanFused, HasNoMoreThreadsThanItIsGiven) {
  for (const GridSize& grid : {GridSize{3, 3, 3}, {6, 37, 35}, {130, 130, 258}, {258, 34, 514}}) {
    for (int threads = 1; threads <= 33; ++threads) {
      const FusedPassPlan plan = plan_on(grid, threads, 2);
      EXPECT_LE(plan.threads(), threads);
      EXPECT_GE(plan.threads(), 1);
    }
  }
}

TEST(CacheShare, IsThisMachines) {
  EXPECT_GT(cache_share(1).l2, 0);
  EXPECT_GE(cache_share(1).l3, cache_share(64).l3);
}

}  // namespace
}  // namespace bankfull::himeno
