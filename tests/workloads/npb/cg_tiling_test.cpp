#include "bankfull/workloads/npb/cg/cuda/tiling.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb::cg::cuda {
namespace {

constexpr std::int64_t hopper_bytes = 232192;
constexpr std::int64_t ampere_bytes = 166912;

void expect_complete(const Tiling& tiling, int multiprocessors, std::int64_t shared_bytes) {
  EXPECT_GE(std::int64_t{tiling.groups} * tiling.group_rows, tiling.rows);
  EXPECT_LT(std::int64_t{tiling.groups - 1} * tiling.group_rows, tiling.rows);
  EXPECT_GE(std::int64_t{tiling.panels} * tiling.panel_columns, tiling.columns);
  EXPECT_LT(std::int64_t{tiling.panels - 1} * tiling.panel_columns, tiling.columns);
  EXPECT_EQ(tiling.panel_columns % 2, 0);
  EXPECT_LE(tiling.panel_columns, 65536);
  EXPECT_LT(tiling.group_rows, 65535);
  EXPECT_LE(tiling.shared_bytes(), shared_bytes);
  EXPECT_LE(tiling.blocks, multiprocessors);
  EXPECT_EQ(warp_threads % tiling.row_lanes, 0);
  EXPECT_GE(tiling.tile_rows(), tiling.group_rows);
}

TEST(CgTiling, IsCompleteForAllClassesAndGpus) {
  for (const Class size : all_classes) {
    for (const int multiprocessors : {1, 7, 108, 132}) {
      for (const std::int64_t bytes : {ampere_bytes, hopper_bytes, std::int64_t{49152}}) {
        SCOPED_TRACE(to_string(size) + " on " + std::to_string(multiprocessors));
        const std::int64_t rows = cg_parameters(size).rows;
        expect_complete(tiling_for(rows, multiprocessors, bytes), multiprocessors, bytes);
        for (const int cuts : {2, 5, 16}) {
          expect_complete(tiling_for(rows / cuts, rows, multiprocessors, bytes), multiprocessors,
                          bytes);
          expect_complete(tiling_for(rows / 16, rows / cuts, multiprocessors, bytes),
                          multiprocessors, bytes);
        }
      }
    }
  }
}

TEST(CgTiling, GivesEachBlockOneTileWhereTheVectorIsShort) {
  const Tiling tiling = tiling_for(150000, 132, hopper_bytes);
  EXPECT_TRUE(tiling.one_tile_per_block);
  EXPECT_EQ(tiling.panels, 11);
  EXPECT_EQ(tiling.row_lanes, 1);
  EXPECT_EQ(tiling.blocks, 132);
}

// Class B on an H200: lanes enough for many slices per warp. Class A: rows for one slice per warp.
TEST(CgTiling, SharesPiecesSoThatAllWarpsWork) {
  const Tiling many = tiling_for(75000, 132, hopper_bytes);
  EXPECT_EQ(many.panels, 4);
  EXPECT_EQ(many.row_lanes, 4);
  const Tiling few = tiling_for(14000, 132, hopper_bytes);
  EXPECT_EQ(few.panels, 1);
  EXPECT_EQ(few.row_lanes, 8);
  EXPECT_EQ(few.tile_slices(), 27);
}

TEST(CgTiling, TakesLargePanelsWhereGroupsWouldElseBeTooLarge) {
  const Tiling tiling = tiling_for(150000, 108, ampere_bytes);
  EXPECT_TRUE(tiling.one_tile_per_block);
  EXPECT_EQ(tiling.panels, 9);
  EXPECT_EQ(tiling.blocks, 108);
}

TEST(CgTiling, KeepsWholeRowsInABlockWhereTheVectorIsLong) {
  const Tiling tiling = tiling_for(1500000, 132, hopper_bytes);
  EXPECT_FALSE(tiling.one_tile_per_block);
  EXPECT_EQ(tiling.groups, 132);
  EXPECT_EQ(tiling.product_parts(), 1);
}

// A quarter of class D: half the rows leave room for larger panels.
TEST(CgTiling, HasFewerPanelsForABlockOfTheMatrix) {
  const Tiling whole = tiling_for(1500000, 132, hopper_bytes);
  const Tiling block = tiling_for(750000, 750000, 132, hopper_bytes);
  EXPECT_FALSE(block.one_tile_per_block);
  EXPECT_EQ(block.groups, 132);
  EXPECT_LT(2 * block.panels, whole.panels);
  EXPECT_EQ(block.sums_size(), 750000);
  EXPECT_EQ(tiling_for(375001, 750000, 132, hopper_bytes).sums_size(), 375002);
}

TEST(CgTiling, GivesEachHalfOfL2AsManyItems) {
  const Tiling tiles = tiling_for(150000, 132, hopper_bytes);
  EXPECT_EQ(tiles.first_half_items(), 66);
  EXPECT_EQ(2 * tiles.first_half_tiles(), tiles.tiles());
  const Tiling groups = tiling_for(1500000, 132, hopper_bytes);
  EXPECT_EQ(groups.first_half_items(), 66);
  EXPECT_EQ(2 * groups.first_half_tiles(), groups.tiles());
}

// Seven tiles: the memory of either half has room for four.
TEST(CgTiling, CountsTheMemoryOfBothHalvesWhereOneHasMore) {
  const Tiling odd = tiling_for(7000, 7, hopper_bytes);
  ASSERT_EQ(odd.items(), 7);
  EXPECT_EQ(odd.first_half_items(), 3);
  constexpr std::int64_t nonzeros = 7'000'000;
  EXPECT_GE(tile_bytes(odd, nonzeros), 10 * nonzeros / 7 * 8);
}

// A slice of GPU has few multiprocessors: long pieces, of which a block holds one or less.
TEST(CgTiling, TakesLittleMoreMemoryThanTheEntriesOnFewMultiprocessors) {
  for (const int multiprocessors : {14, 16, 26, 32}) {
    constexpr std::int64_t nonzeros = 36'121'058;  // of class C
    const Tiling tiling = tiling_for(150000, multiprocessors, hopper_bytes);
    EXPECT_LE(tile_bytes(tiling, nonzeros), 10 * nonzeros * 8 / 5) << multiprocessors;
  }
}

// Entries of class E fill 66 GB; what else its tiles take must leave it a GPU of 141 GB.
TEST(CgTiling, LeavesRoomForClassEOnALargeGpu) {
  const CgParameters& cg = cg_parameters(Class::e);
  const Tiling tiling = tiling_for(cg.rows, 132, hopper_bytes);
  const std::int64_t tiles = tile_bytes(tiling, cg.nonzeros);
  const std::int64_t assembly = assembly_bytes(tiling, cg.rows, cg.vector_nonzeros + 1);
  EXPECT_GT(tiles, 66'000'000'000);
  EXPECT_LT(tiles + assembly, 100'000'000'000);
}

TEST(CgTiling, KeepsInTheCacheWhatHasRoomThere) {
  constexpr std::int64_t cache = 50 << 20;
  EXPECT_EQ(kept_warps(20'000'000, cache), 32);
  EXPECT_EQ(kept_warps(142'000'000, cache), 4);
  EXPECT_EQ(kept_warps(365'000'000, cache), 1);
  EXPECT_EQ(kept_warps(7'256'000'000, cache), 0);
}

}  // namespace
}  // namespace bankfull::npb::cg::cuda
