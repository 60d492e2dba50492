#include "bankfull/workloads/hpcg/class_order.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/hpcg/level.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <tuple>
#include <vector>

// For which matrices the orders that were searched hold, and what the others get.
namespace bankfull::hpcg {
namespace {

/// The colours of a level's rows, and for each colour the rows on the coarser level.
struct Colours {
  std::vector<Colour> of_row;
  std::vector<std::int64_t> coarse_rows;
};

Colours colours_of(const std::vector<Level>& levels, std::size_t number) {
  const CsrView matrix = levels[number].matrix.view();
  Colours colours{std::vector<Colour>(static_cast<std::size_t>(matrix.rows)), {}};
  const int count = colour_greedily(CpuExecutor(1), matrix, colours.of_row.data());
  colours.coarse_rows.assign(static_cast<std::size_t>(count), 0);
  if (number + 1 < levels.size()) {
    const Level& coarser = levels[number + 1];
    for (std::int64_t n = 0; n < coarser.matrix.rows; ++n) {
      const auto row = static_cast<std::size_t>(coarser.fine_row.data()[n]);
      ++colours.coarse_rows[colours.of_row[row]];
    }
  }
  return colours;
}

/// What is searched for eight colours, by level.
std::vector<Colour> searched_order(std::size_t level) {
  const std::vector<std::vector<Colour>> orders{
      {7, 3, 4, 5, 6, 1, 2, 0}, {7, 3, 4, 5, 2, 6, 1, 0}, {7, 3, 4, 2, 5, 1, 6, 0}};
  return orders[std::min<std::size_t>(level, 2)];
}

/// A rank's grid, and the grid of ranks: a rank colours its own rows alone.
class BoxOrder : public ::testing::TestWithParam<std::tuple<Grid3, Grid3>> {
 protected:
  static std::vector<Level> levels_of_rank(int rank) {
    Problem problem = small_problem(std::get<0>(GetParam()));
    problem.process_grid = std::get<1>(GetParam());
    const int ranks = static_cast<int>(problem.process_grid->count());
    return make_levels(CpuExecutor(1), problem, ranks, rank);
  }
  static int last_rank() { return static_cast<int>(std::get<1>(GetParam()).count()) - 1; }
};

/// Greedy colours of 27 points are the parities of a row's place, bit by bit along the axes that
/// have more than one point.
TEST_P(BoxOrder, ColoursAreParities) {
  const std::vector<Level> levels = levels_of_rank(last_rank());
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const LocalGrid& grid = levels[n].geometry.grid;
    const int of_y = grid.x.local > 1 ? 2 : 1;
    const int of_z = of_y * (grid.y.local > 1 ? 2 : 1);
    const Colours colours = colours_of(levels, n);
    for (std::int64_t row = 0; row < grid.rows(); ++row) {
      const std::int64_t plane = grid.x.local * grid.y.local;
      const std::int64_t parity = row % grid.x.local % 2 + of_y * (row % plane / grid.x.local % 2) +
                                  of_z * (row / plane % 2);
      ASSERT_EQ(colours.of_row[static_cast<std::size_t>(row)], parity) << "level " << n;
    }
  }
}

/// All coarse rows have the first colour. Eight colours take the orders that were searched; fewer,
/// where a side is one point long, keep theirs with the coarse one last.
TEST_P(BoxOrder, IsTheOneSearchedForEightColours) {
  const std::vector<Level> levels = levels_of_rank(last_rank());
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const Colours colours = colours_of(levels, n);
    const bool coarsest = n + 1 == levels.size();
    EXPECT_EQ(colours.coarse_rows.front(), coarsest ? 0 : levels[n + 1].matrix.rows);
    std::vector<Colour> expected(colours.coarse_rows.size());
    std::iota(expected.begin(), expected.end(), Colour{0});
    if (expected.size() == 8) {
      expected = searched_order(n);
    } else if (!coarsest) {
      std::rotate(expected.begin(), expected.begin() + 1, expected.end());
    }
    EXPECT_EQ(class_order(n, colours.coarse_rows), expected) << "level " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Boxes, BoxOrder,
                         ::testing::Combine(::testing::Values(Grid3{16, 16, 16}, Grid3{9, 12, 17},
                                                              Grid3{24, 16, 8}, Grid3{8, 40, 8},
                                                              Grid3{8, 8, 8}, Grid3{10, 9, 11}),
                                            ::testing::Values(Grid3{1, 1, 1}, Grid3{2, 1, 2})));

/// Seven points have two colours, and the coarse rows the first of them.
TEST(ClassOrder, OfOtherMatricesKeepsTheColoursOrderWithCoarseOnesLast) {
  EXPECT_EQ(class_order(0, {64, 0}), (std::vector<Colour>{1, 0}));
  EXPECT_EQ(class_order(0, {3, 0, 5, 0, 0}), (std::vector<Colour>{1, 3, 4, 0, 2}));
  // Eight colours whose coarse rows are not all of the first one.
  EXPECT_EQ(class_order(0, {3, 0, 5, 0, 0, 0, 0, 0}),
            (std::vector<Colour>{1, 3, 4, 5, 6, 7, 0, 2}));
}

}  // namespace
}  // namespace bankfull::hpcg
