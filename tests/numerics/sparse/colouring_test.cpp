#include "bankfull/numerics/sparse/colouring.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "tests/numerics/sparse/patterns.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

struct Colours {
  int count = 0;
  std::vector<Colour> of_row;
};

Colours greedy_colours(const Pattern& pattern, int threads = 1) {
  const Csr matrix = csr_of(pattern);
  Colours colours{0, std::vector<Colour>(pattern.rows.size(), no_colour)};
  colours.count = colour_greedily(CpuExecutor(threads), matrix.view(), colours.of_row.data());
  return colours;
}

/// Connected rows differ, and every row has the smallest colour that the rows before it leave.
void expect_greedy(const Pattern& pattern, const Colours& colours) {
  for (std::size_t row = 0; row < pattern.rows.size(); ++row) {
    for (const std::int32_t column : pattern.rows[row]) {
      const auto other = static_cast<std::size_t>(column);
      if (other < pattern.rows.size() && other != row) {
        EXPECT_NE(colours.of_row[other], colours.of_row[row]) << row << " and " << other;
      }
    }
  }
  const std::vector<int> got(colours.of_row.begin(), colours.of_row.end());
  const std::vector<int> expected = greedy_colours_of(pattern);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(colours.count, 1 + *std::max_element(expected.begin(), expected.end()));
}

TEST(GreedyColouring, IsProperOnRandomPatterns) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Pattern pattern = random_pattern({.seed = seed,
                                            .count = 50 + 10 * static_cast<std::int32_t>(seed),
                                            .connected = 0.02 * (1 + seed % 5),
                                            .empty = seed % 3 == 0 ? 0.2 : 0.0,
                                            .outside = 0.3,
                                            .outer = static_cast<std::int32_t>(seed % 4)});
    expect_greedy(pattern, greedy_colours(pattern));
  }
}

TEST(GreedyColouring, TakesEightColoursOnAGrid) {
  const Pattern pattern = grid_pattern(7, 6, 5);
  const Colours colours = greedy_colours(pattern);
  EXPECT_EQ(colours.count, 8);
  expect_greedy(pattern, colours);
  for (int row = 0; row < 7 * 6 * 5; ++row) {
    const int parity = row % 7 % 2 + 2 * (row / 7 % 6 % 2) + 4 * (row / 42 % 2);
    EXPECT_EQ(int{colours.of_row[static_cast<std::size_t>(row)]}, parity);
  }
  EXPECT_EQ(greedy_colours(grid_pattern(9, 1, 4)).count, 4);
  EXPECT_EQ(greedy_colours(grid_pattern(1, 5, 1)).count, 2);
  EXPECT_EQ(greedy_colours(grid_pattern(1, 1, 1)).count, 1);
}

TEST(GreedyColouring, IsThatOfOneThreadOnAnyNumberOfThreads) {
  for (const int threads : {2, 3, 7, 16}) {
    SCOPED_TRACE(threads);
    for (const Pattern& pattern :
         {grid_pattern(35, 6, 7), grid_pattern(5, 1, 40), complete_pattern(60),
          random_pattern({.seed = 3, .count = 500, .connected = 0.02, .empty = 0.1}),
          random_pattern({.count = 200, .connected = 0.0, .outside = 0.5, .outer = 9})}) {
      expect_greedy(pattern, greedy_colours(pattern, threads));
    }
  }
}

TEST(GreedyColouring, RowsWithoutNeighboursShareAColour) {
  Pattern empty;
  empty.rows.resize(10);
  empty.columns = 10;
  const Colours colours = greedy_colours(empty);
  EXPECT_EQ(colours.count, 1);
  EXPECT_EQ(colours.of_row, std::vector<Colour>(10, 0));
}

TEST(GreedyColouring, ACompleteGraphNeedsAColourForEachRow) {
  for (const std::int32_t count : {2, 9, 63, 64, 65, 128, 200, 254}) {
    const Pattern pattern = complete_pattern(count);
    const Colours colours = greedy_colours(pattern);
    EXPECT_EQ(colours.count, count);
    EXPECT_EQ(int{*std::max_element(colours.of_row.begin(), colours.of_row.end())}, count - 1);
  }
}

TEST(GreedyColouring, RefusesMoreColoursThanThereAre) {
  EXPECT_THROW(greedy_colours(complete_pattern(256)), RuntimeFailure);
  EXPECT_THROW(greedy_colours(complete_pattern(300)), RuntimeFailure);
}

}  // namespace
}  // namespace bankfull
