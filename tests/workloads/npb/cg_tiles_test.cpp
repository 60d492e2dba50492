#include "bankfull/workloads/npb/cg/kept_entries.hpp"
#include "bankfull/workloads/npb/cg/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>

namespace bankfull::npb::cg {
namespace {

constexpr std::int64_t tiled_rows = 61;

/// A rank's block of a small matrix, for a team.
struct TilesCase {
  Kept kept;
  int rank;
  int ranks;
  int threads;
};

std::string name_of_tiles(const testing::TestParamInfo<TilesCase>& info) {
  const TilesCase& c = info.param;
  return std::string(c.kept == Kept::upper ? "Upper" : "All") + std::to_string(c.rank) + "Of" +
         std::to_string(c.ranks) + "On" + std::to_string(c.threads);
}

std::vector<TilesCase> tiles_cases() {
  std::vector<TilesCase> all;
  for (const Kept kept : {Kept::upper, Kept::all}) {
    for (const int ranks : {1, 2, 4, 5}) {
      for (int rank = 0; rank < ranks; ++rank) {
        for (const int threads : {1, 2, 3, 7, 12, 16, 64}) {
          all.push_back({kept, rank, ranks, threads});
        }
      }
    }
  }
  return all;
}

class CgTiles : public testing::TestWithParam<TilesCase> {
 protected:
  Block block_ = block_of(tiled_rows, GetParam().kept, GetParam().rank, GetParam().ranks);
  std::vector<Tile> tiles_ = cut_into_tiles(block_, GetParam().threads);

  /// Whether an entry of the matrix is one of those that a block keeps.
  static bool keeps(const Block& block, std::int64_t row, std::int64_t column) {
    return block.rows.holds(row) && block.columns.holds(column) &&
           (block.kept == Kept::all || column > row);
  }
};

TEST_P(CgTiles, HaveEachEntryOfTheBlockOnce) {
  ASSERT_EQ(static_cast<int>(tiles_.size()), GetParam().threads);
  for (std::int64_t row = 0; row < tiled_rows; ++row) {
    for (std::int64_t column = 0; column < tiled_rows; ++column) {
      int times = 0;
      for (const Tile& tile : tiles_) {
        times += keeps(block_of(block_, tile), row, column) ? 1 : 0;
      }
      ASSERT_EQ(times, keeps(block_, row, column) ? 1 : 0) << row << ' ' << column;
    }
  }
}

TEST_P(CgTiles, HaveACopyOfEachInputTheyNeed) {
  for (const Tile& tile : tiles_) {
    std::int64_t count = 0;
    std::int64_t end = 0;
    for (const Range& range : tile.inputs()) {
      EXPECT_GE(range.begin, end);
      end = range.end;
      count += range.size();
    }
    EXPECT_EQ(count, tile.input_count());
    EXPECT_LE(end, block_.input_count());
    if (block_.kept == Kept::upper && tile.rows.size() > 0) {
      EXPECT_GE(tile.columns.begin, tile.rows.begin);
      EXPECT_EQ(tile.column_offset() + tile.columns.size(), tile.input_count());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, CgTiles, testing::ValuesIn(tiles_cases()), name_of_tiles);

class CgTileSizes : public testing::TestWithParam<int> {};

/// Entries right of the diagonal.
std::int64_t entries_of(const Tile& tile) {
  std::int64_t entries = 0;
  for (std::int64_t row = tile.rows.begin; row < tile.rows.end; ++row) {
    entries += std::max<std::int64_t>(tile.columns.end - std::max(tile.columns.begin, row + 1), 0);
  }
  return entries;
}

TEST_P(CgTileSizes, AreAboutEqualAndTheirCopiesSmall) {
  constexpr std::int64_t many_rows = 14000;
  const int threads = GetParam();
  const Block block = block_of(many_rows, Kept::upper, 0, 1);
  const std::vector<Tile> tiles = cut_into_tiles(block, threads);
  const double fair = static_cast<double>(many_rows * (many_rows - 1) / 2) / threads;
  for (const Tile& tile : tiles) {
    EXPECT_NEAR(static_cast<double>(entries_of(tile)) / fair, 1.0, 0.05);
  }
  // Square tiles beside the diagonal would have sqrt(2 threads) vectors in all.
  EXPECT_LE(static_cast<double>(input_count(tiles)) / many_rows, 1.15 * std::sqrt(2.0 * threads));
}

INSTANTIATE_TEST_SUITE_P(Threads, CgTileSizes, testing::Values(2, 3, 4, 7, 16, 24, 56, 64, 127),
                         testing::PrintToStringParamName());

TEST(CgKeptEntries, AreHalfWhereverThatMovesFewerBytes) {
  for (const Class size : {Class::a, Class::b, Class::c, Class::d}) {
    for (const int threads : {1, 2, 16, 64, 128}) {
      const ProductBytes upper = product_bytes(size, Kept::upper, 1, threads);
      const ProductBytes all = product_bytes(size, Kept::all, 1, threads);
      EXPECT_DOUBLE_EQ(upper.matrix, all.matrix / 2.0);
      EXPECT_EQ(better_kept(size, 1, threads), Kept::upper);
    }
  }
  EXPECT_EQ(better_kept(Class::s, 1, 1), Kept::upper);
}

TEST(CgKeptEntries, AreThoseThatAreRequested) {
  Problem problem{.size = Class::s};
  EXPECT_EQ(kept_entries(problem, 1, 2), Kept::upper);
  problem.cg_entries = CgEntries::all;
  EXPECT_EQ(kept_entries(problem, 1, 2), Kept::all);
  problem.cg_entries = CgEntries::upper;
  EXPECT_EQ(kept_entries(problem, 64, 64), Kept::upper);
}

}  // namespace
}  // namespace bankfull::npb::cg
