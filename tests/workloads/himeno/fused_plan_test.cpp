#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"

#include "bankfull/workloads/himeno/point.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace bankfull::himeno {
namespace {

constexpr FusedResources h200{.multiprocessors = 132, .shared_bytes = 232448 - 256};

/// The items of a block.
std::vector<Tile> items_of(const FusedPlan& plan, int block) {
  std::vector<Tile> items;
  for (int n = 0;; ++n) {
    const Tile tile = plan.items.item<true>(block, n);
    if (tile.first >= tile.last) {
      return items;
    }
    items.push_back(tile);
  }
}

/// How often each interior point belongs to the tile of an item.
std::vector<int> times_covered(const FusedPlan& plan, const Extents& n, const FusedShape& shape) {
  std::vector<int> times(static_cast<std::size_t>(n.count()), 0);
  const auto cover = [&](const Tile& tile) {
    const FusedStrips& strips = plan.items.strips;
    const bool is_strips = strips.have(tile);
    const int rows = is_strips ? strips.rows : plan.items.tiles.rows;
    const int columns = is_strips ? strips.of_tile * shape.columns : shape.columns;
    for (std::int64_t i = tile.first; i < tile.last; ++i) {
      for (std::int64_t j = tile.j; j < std::min<std::int64_t>(tile.j + rows, n.nj); ++j) {
        const std::int64_t first = tile.k + shape.first_column();
        for (std::int64_t k = first; k < first + columns; ++k) {
          if (k >= 0 && k < n.nk) {
            ++times[static_cast<std::size_t>((i * n.nj + j) * n.nk + k)];
          }
        }
      }
    }
  };
  for (int block = 0; block < plan.items.blocks(); ++block) {
    for (const Tile& tile : items_of(plan, block)) {
      cover(tile);
    }
  }
  return times;
}

class FusedPlans : public ::testing::TestWithParam<Extents> {};

TEST_P(FusedPlans, CoverEveryPointOnce) {
  for (const std::size_t element_bytes : {4U, 8U}) {
    const FusedPlan plan = plan_fused(GetParam(), element_bytes, h200);
    for (const int times : times_covered(plan, GetParam(), fused_shape(element_bytes))) {
      ASSERT_EQ(times, 1) << describe(plan);
    }
  }
}

TEST_P(FusedPlans, FitTheMachine) {
  for (const std::size_t element_bytes : {4U, 8U}) {
    for (const int shared_bytes : {64 << 10, 99 << 10, h200.shared_bytes}) {
      const FusedPlan plan = plan_fused(GetParam(), element_bytes, {132, shared_bytes});
      EXPECT_LE(plan.shared_bytes, shared_bytes);
      EXPECT_GE(plan.coefficient_slots, 2);
      EXPECT_LE(plan.coefficient_slots, fused_max_coefficient_slots);
      EXPECT_GE(plan.items.blocks(), 1);
      EXPECT_LE(plan.items.blocks(), 132);
      EXPECT_FALSE(items_of(plan, 0).empty());
      EXPECT_FALSE(items_of(plan, plan.items.blocks() - 1).empty());
      const FusedShape shape = fused_shape(element_bytes);
      EXPECT_EQ(plan.pressure_slot_bytes % 128, 0);
      EXPECT_EQ(plan.result_slot_bytes % 128, 0);
      EXPECT_EQ(plan.coefficient_slot_bytes % 128, 0);
      const int bytes = static_cast<int>(element_bytes);
      EXPECT_LE(shape.groups() * plan.region_rows, fused_computing_threads);
      EXPECT_GT(plan.coefficient_slot_bytes,
                coefficient_count * plan.region_rows * shape.width() * bytes);
      const FusedStrips& strips = plan.items.strips;
      const int region_rows = strips.region_rows();
      EXPECT_LE(shape.groups() * strips.of_tile * region_rows, fused_computing_threads);
      EXPECT_EQ(strips.pressure_pitch(element_bytes) * bytes % 128, 0);
      EXPECT_EQ(strips.coefficient_pitch(element_bytes) * bytes % 128, 0);
      const int before = strips.of_tile - 1;
      EXPECT_GT(plan.pressure_slot_bytes, (before * strips.pressure_pitch(element_bytes) +
                                           (region_rows + 2) * shape.pressure_width()) *
                                              bytes);
      EXPECT_GT(plan.coefficient_slot_bytes, (before * strips.coefficient_pitch(element_bytes) +
                                              coefficient_count * region_rows * shape.width()) *
                                                 bytes);
      EXPECT_GT(plan.result_slot_bytes, (strips.of_tile * region_rows + 2) * shape.width() * bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FusedPlans,
                         ::testing::Values(Extents{1, 1, 1}, Extents{1, 1, 61}, Extents{1, 1, 62},
                                           Extents{1, 1, 63}, Extents{3, 13, 126},
                                           Extents{2, 14, 127}, Extents{7, 31, 65},
                                           Extents{9, 200, 30}, Extents{30, 62, 126},
                                           Extents{200, 3, 5}, Extents{19, 148, 298},
                                           Extents{13, 243, 330}, Extents{13, 321, 330},
                                           Extents{66, 196, 254}, Extents{13, 23, 190},
                                           Extents{13, 25, 140}, Extents{20, 254, 510}));

TEST(FusedPlan, UsesWholeMachineAndTallTilesOnLargeGrids) {
  const FusedPlan xl = plan_fused({510, 510, 1022}, 4, h200);
  EXPECT_EQ(xl.items.tiles.rows, 11);
  EXPECT_EQ(xl.items.blocks(), 132);
  EXPECT_GE(xl.coefficient_slots, 3);
  EXPECT_GT(xl.window, 0);
  const FusedPlan l = plan_fused({254, 254, 510}, 4, h200);
  EXPECT_GE(l.items.tiles.rows, 8);
  EXPECT_EQ(l.items.blocks(), 132);
  const FusedPlan xl_fp64 = plan_fused({510, 510, 1022}, 8, h200);
  EXPECT_EQ(xl_fp64.items.tiles.rows, 10);
  EXPECT_EQ(xl_fp64.items.tiles.columns, 32);
}

/// The most of what items of a block take together.
template <class Cost>
int busiest(const FusedPlan& plan, const Cost& cost) {
  int most = 0;
  for (int block = 0; block < plan.items.blocks(); ++block) {
    int sum = 0;
    for (const Tile& tile : items_of(plan, block)) {
      sum += cost(tile);
    }
    most = std::max(most, sum);
  }
  return most;
}

int planes_of(const Tile& tile) { return tile.last - tile.first; }

int steps_of_busiest(const FusedPlan& plan) {
  return busiest(plan, [](const Tile& tile) { return planes_of(tile) + 2 * fused_layers; });
}

TEST(FusedPlan, HasFewStepsWhateverTheirRows) {
  // Lower tiles would have less to do in a step, but in 67, 258, 13 and 130 steps.
  EXPECT_LE(steps_of_busiest(plan_fused({126, 126, 254}, 4, h200)), 54);
  EXPECT_LE(steps_of_busiest(plan_fused({254, 254, 254}, 4, h200)), 197);
  EXPECT_LE(steps_of_busiest(plan_fused({62, 62, 126}, 4, h200)), 10);
  EXPECT_LE(steps_of_busiest(plan_fused({126, 126, 254}, 8, h200)), 108);
}

TEST(FusedPlan, HasFewRowsWhereTheStepsAreAsMany) {
  const FusedPlan plan = plan_fused({46, 46, 94}, 4, h200);
  EXPECT_EQ(steps_of_busiest(plan), 8);
  EXPECT_EQ(plan.items.tiles.rows, 10);  // with 11 rows there are as many tiles
  EXPECT_EQ(plan.items.strips.tiles, 0);
}

/// Tiles in strips, the strips of one and their rows.
std::vector<int> last_rows_of(const Extents& n, std::size_t element_bytes) {
  const FusedStrips strips = plan_fused(n, element_bytes, h200).items.strips;
  return {strips.tiles, strips.of_tile, strips.rows};
}

TEST(FusedPlan, LastRowsOfFullTilesAreInStripsSideBySide) {
  using Tiles = std::vector<int>;
  EXPECT_EQ(last_rows_of({254, 254, 510}, 4), (Tiles{3, 3, 1}));
  EXPECT_EQ(last_rows_of({298, 398, 498}, 4), (Tiles{4, 2, 2}));
  EXPECT_EQ(last_rows_of({190, 190, 382}, 4), (Tiles{3, 2, 3}));
  EXPECT_EQ(last_rows_of({382, 382, 382}, 8), (Tiles{6, 2, 2}));
  // Of four rows or more there is one strip, of no rows none.
  EXPECT_EQ(last_rows_of({510, 510, 1022}, 4)[0], 0);
  EXPECT_EQ(last_rows_of({254, 253, 510}, 4)[0], 0);
}

TEST(FusedPlan, StripsLeaveFewerSteps) {
  EXPECT_LE(steps_of_busiest(plan_fused({254, 254, 510}, 4, h200)), 371);  // 379 without
  EXPECT_LE(steps_of_busiest(plan_fused({254, 254, 254}, 4, h200)), 190);  // 197
}

/// Planes that the busiest block computes, over what it would if all blocks had the same.
double imbalance(const FusedPlan& plan) {
  const FusedItems& items = plan.items;
  return 1.0 * busiest(plan, planes_of) * items.blocks() /
         (1.0 * items.count<true>() * items.tiles.ni);
}

TEST(FusedPlan, TilesThatDoNotFillAllBlocksAreCut) {
  // Of the shapes above, with whole tiles and others.
  for (const auto& [n, element_bytes] :
       {std::pair{Extents{19, 148, 298}, std::size_t{8}}, {Extents{13, 243, 330}, 4}}) {
    const FusedItems items = plan_fused(n, element_bytes, h200).items;
    EXPECT_EQ(items.rounds, 1);
    EXPECT_GT(items.others(), 0);
    EXPECT_EQ(items.parts.last, n.ni);
    EXPECT_LT(items.parts.planes, n.ni);
  }
  const FusedPlan xl = plan_fused({510, 510, 1022}, 4, h200);
  EXPECT_GT(xl.items.rounds, 0);
  EXPECT_LT(xl.items.parts.planes, 510);
  EXPECT_LT(imbalance(xl), 1.02);
}

TEST(FusedPlan, SomeBlocksDoShortPartsWhereThatLeavesFewerIdle) {
  EXPECT_LT(imbalance(plan_fused({254, 254, 510}, 4, h200)), 1.02);
  EXPECT_LT(imbalance(plan_fused({254, 254, 254}, 4, h200)), 1.05);
  // One of the shapes above, in both precisions, for tests on GPUs.
  for (const std::size_t element_bytes : {4U, 8U}) {
    const FusedPlan plan = plan_fused({13, 321, 330}, element_bytes, h200);
    EXPECT_GT(plan.items.rounds, 0) << describe(plan);
    ASSERT_GT(plan.items.shorts.blocks, 0) << describe(plan);
    EXPECT_EQ(plan.items.shorts.first, plan.items.parts.last);
    EXPECT_GT(items_of(plan, plan.items.shorts.first_block).size(), items_of(plan, 0).size());
  }
}

TEST(FusedPlan, PartsAreAlikeWhereShortOnesSaveNextToNothing) {
  // One step in 200 at size XL.
  EXPECT_EQ(plan_fused({510, 510, 1022}, 4, h200).items.shorts.blocks, 0);
}

TEST(FusedPlan, ShortLaunchesNeedNotKeepInStep) {
  EXPECT_EQ(plan_fused({126, 126, 254}, 4, h200).window, 0);
}

TEST(FusedPlan, DescribesItself) {
  EXPECT_EQ(describe(plan_fused({510, 510, 1022}, 4, h200)),
            "tile 64 x 11, 660 whole, 92 in 7 parts, 132 blocks, 203 KiB shared memory");
  EXPECT_EQ(describe(plan_fused({254, 254, 510}, 4, h200)),
            "tile 64 x 11 and 3 of 64 x 1, 132 whole, 55 in 2 parts of 109 planes and 2 of 18, 132 "
            "blocks, 210 KiB shared memory");
  EXPECT_EQ(describe(plan_fused({46, 46, 94}, 4, h200)),
            "tile 64 x 10, 10 in 12 parts, 120 blocks, 190 KiB shared memory");
}

}  // namespace
}  // namespace bankfull::himeno
