#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"

#include "bankfull/numerics/poisson/sharing.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::poisson::multigrid {
namespace {

RankLevels levels_of_rank(const Domain& domain, const RankGrid& grid, int rank,
                          std::int64_t min_cells = 0) {
  const std::vector<Level> levels = make_levels(domain);
  return rank_levels(levels, cut_of(domain, grid), rank, min_cells, halo_widths(levels));
}

TEST(RankLevels, OfOneRankAreTheLevels) {
  const Domain domain{uniform_axis(13, true), uniform_axis(24, false), uniform_axis(8, true)};
  const RankLevels levels = levels_of_rank(domain, {1, 1, 1}, 0, 1 << 30);
  EXPECT_EQ(levels.shared.size(), make_levels(domain).size());
  EXPECT_TRUE(levels.gathered.empty());
  EXPECT_FALSE(levels.shares_nothing());
}

void expect_window(const AxisLevel& whole, const AxisLevel& part, const Window& window, int halo) {
  EXPECT_EQ(window.begin % 2, 0);
  EXPECT_TRUE(window.end % 2 == 0 || window.end == whole.cells);
  EXPECT_EQ(part.cells, window.end - window.begin);
  const bool ends_below = !whole.periodic && window.begin == 0;
  const bool ends_above = !whole.periodic && window.end == whole.cells;
  EXPECT_TRUE(ends_below || window.own.begin >= halo);
  EXPECT_TRUE(ends_above || part.cells - window.own.end >= halo);
  EXPECT_EQ(part.part.goes_on_below, !ends_below);
  EXPECT_EQ(part.part.goes_on_above, !ends_above);
  for (std::int64_t n = 0; n < part.cells; ++n) {
    const auto here = static_cast<std::size_t>(n);
    const auto there = static_cast<std::size_t>(wrapped(window.begin + n, whole.cells));
    EXPECT_EQ(part.lower[here], whole.lower[there]);
    EXPECT_EQ(part.upper[here], whole.upper[there]);
    EXPECT_EQ(part.restriction_weight[here], whole.restriction_weight[there]);
    EXPECT_EQ(part.interpolation_weight[here], whole.interpolation_weight[there]);
  }
}

TEST(RankLevels, HaveHalosAndWholePairs) {
  for (const auto& each : all_boundaries({96, 64, 6})) {
    const std::vector<Level> levels = make_levels(each.domain);
    for (int rank = 0; rank < 6; ++rank) {
      const RankLevels mine = levels_of_rank(each.domain, {3, 2, 1}, rank);
      ASSERT_GE(mine.shared.size(), 3U);
      EXPECT_EQ(mine.shared.size() - 1 + mine.gathered.size(), levels.size());
      for (std::size_t l = 0; l + 1 < mine.shared.size(); ++l) {
        const RankLevel& part = mine.shared[l];
        expect_window(levels[l].i, part.level.i, part.i, part.halo);
        expect_window(levels[l].j, part.level.j, part.j, part.halo);
      }
    }
  }
}

/// Parents, on both sides, of all cells of a window are in the window of the next level.
TEST(RankLevels, HaveTheParentsOfTheirCells) {
  for (const auto& each : all_boundaries({96, 64, 6})) {
    for (int rank = 0; rank < 6; ++rank) {
      const RankLevels mine = levels_of_rank(each.domain, {3, 2, 1}, rank);
      for (std::size_t l = 0; l + 1 < mine.shared.size(); ++l) {
        const RankLevel& fine = mine.shared[l];
        const RankLevel& coarse = mine.shared[l + 1];
        const AxisPart& part = fine.level.i.part;
        const std::int64_t parents =
            fine.level.i.coarsened ? (fine.level.i.cells + 1) / 2 : fine.level.i.cells;
        EXPECT_GE(part.first_parent, part.goes_on_below && fine.level.i.coarsened ? 1 : 0);
        EXPECT_LE(part.first_parent + parents, coarse.level.i.cells);
        EXPECT_EQ(fine.i.begin,
                  (part.first_parent + coarse.i.begin) * (fine.level.i.coarsened ? 2 : 1));
      }
    }
  }
}

TEST(RankLevels, AreGatheredWhereTheyAreThinOrSmallOrHaveSeams) {
  const auto shared_of = [](const Domain& domain, const RankGrid& grid, std::int64_t least) {
    return levels_of_rank(domain, grid, 0, least).shared.size() - 1;
  };
  const auto domain = [](std::int64_t cells, bool periodic) {
    return Domain{uniform_axis(cells, periodic), uniform_axis(64, true), uniform_axis(8, true)};
  };
  EXPECT_EQ(shared_of(domain(64, true), {2, 1, 1}, 0), 3U) << "64, 32, 16; 8 are thin";
  EXPECT_EQ(shared_of(domain(64, true), {2, 1, 1}, 64 * 64 * 8 / 2), 1U);
  EXPECT_EQ(shared_of(domain(64, true), {2, 1, 1}, 64 * 64 * 8), 0U);
  EXPECT_EQ(shared_of(domain(63, false), {2, 1, 1}, 0), 3U);
  EXPECT_EQ(shared_of(domain(63, true), {2, 1, 1}, 0), 0U) << "seam";
  EXPECT_EQ(shared_of(domain(63, true), {1, 2, 1}, 0), 3U) << "not cut";
  EXPECT_EQ(shared_of(domain(66, true), {2, 1, 1}, 0), 1U) << "33 have a seam";
  EXPECT_TRUE(levels_of_rank(domain(63, true), {2, 1, 1}, 0).shares_nothing());
}

}  // namespace
}  // namespace bankfull::poisson::multigrid
