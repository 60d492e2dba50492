#include "bankfull/numerics/sparse/row_classes.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"
#include "tests/numerics/sparse/patterns.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace bankfull {
namespace {

/// A pattern, its colours, and what becomes of them.
struct ClassesCase {
  Pattern pattern;
  std::int64_t alignment = 1;
  int threads = 1;
  Boundary boundary = Boundary::apart;
};

struct Ordered {
  std::vector<Colour> colour;  ///< of each row
  std::vector<Colour> order;
  RowClasses classes;
};

Ordered ordered(const ClassesCase& c) {
  const Csr matrix = csr_of(c.pattern);
  const CpuExecutor executor(c.threads);
  Ordered result{std::vector<Colour>(c.pattern.rows.size()), {}, {}};
  const int count = colour_greedily(executor, matrix.view(), result.colour.data());
  result.order.resize(static_cast<std::size_t>(count));
  std::iota(result.order.begin(), result.order.end(), Colour{0});
  std::rotate(result.order.begin(), result.order.begin() + count / 2, result.order.end());
  result.classes = order_by_colour(executor, matrix.view(), result.colour.data(), result.order,
                                   c.alignment, c.boundary);
  return result;
}

bool touches_others(const Pattern& pattern, std::int32_t row) {
  const auto& columns = pattern.rows[static_cast<std::size_t>(row)];
  return std::any_of(columns.begin(), columns.end(), [&](std::int32_t column) {
    return column >= static_cast<std::int32_t>(pattern.rows.size());
  });
}

/// Whether on the average so many boundary rows follow each other.
bool compact(const Pattern& pattern, std::int64_t least) {
  std::int64_t rows = 0;
  std::int64_t runs = 0;
  const auto count = static_cast<std::int32_t>(pattern.rows.size());
  for (std::int32_t row = 0; row < count; ++row) {
    const bool here = touches_others(pattern, row);
    rows += here ? 1 : 0;
    runs += here && (row == 0 || !touches_others(pattern, row - 1)) ? 1 : 0;
  }
  return rows >= least * runs;
}

/// Whether boundary rows get ranges of their own.
bool apart(const ClassesCase& c, const Ordered& got) {
  if (c.boundary == Boundary::among &&
      c.pattern.columns > static_cast<std::int64_t>(c.pattern.rows.size())) {
    return false;
  }
  return compact(c.pattern, std::max<std::int64_t>(
                                8, c.alignment * static_cast<std::int64_t>(got.order.size())));
}

/// The rows of a range: of the class's colour, on the right side, in the matrix's order.
void expect_range(const ClassesCase& c, const Ordered& got, std::size_t number, bool boundary) {
  const RowClass& rows = got.classes.classes[number];
  const Range range = boundary ? rows.boundary : rows.interior;
  const bool all_are_boundary = !apart(c, got);
  EXPECT_EQ(range.begin % c.alignment, 0);
  std::int32_t before = -1;
  for (std::int64_t at = range.begin; at < range.end; ++at) {
    const std::int32_t row = got.classes.old_of.data()[at];
    ASSERT_GE(row, 0);
    EXPECT_EQ(got.colour[static_cast<std::size_t>(row)], got.order[number]);
    EXPECT_EQ(touches_others(c.pattern, row) || all_are_boundary, boundary);
    EXPECT_GT(row, before);
    before = row;
  }
}

/// Each row has a place of its own; all others are empty.
void expect_permutation(const ClassesCase& c, const RowClasses& classes) {
  EXPECT_EQ(classes.rows % c.alignment, 0);
  std::int64_t filled = 0;
  for (std::int64_t at = 0; at < classes.rows; ++at) {
    const std::int32_t row = classes.old_of.data()[at];
    if (row >= 0) {
      EXPECT_EQ(classes.new_of.data()[row], at);
      ++filled;
    }
  }
  EXPECT_EQ(filled, static_cast<std::int64_t>(c.pattern.rows.size()));
  EXPECT_EQ(classes.new_of.size(), c.pattern.rows.size());
}

void expect_ordered(const ClassesCase& c) {
  const Ordered got = ordered(c);
  expect_permutation(c, got.classes);
  ASSERT_EQ(got.classes.classes.size(), got.order.size());
  std::int64_t end = 0;
  std::int64_t rows = 0;
  for (std::size_t n = 0; n < got.order.size(); ++n) {
    const RowClass& here = got.classes.classes[n];
    EXPECT_GE(here.interior.begin, end);
    EXPECT_LT(here.interior.begin - end, c.alignment);
    EXPECT_GE(here.boundary.begin, here.interior.end);
    EXPECT_LT(here.boundary.begin - here.interior.end, c.alignment);
    EXPECT_EQ(here.all(), (Range{here.interior.begin, here.boundary.end}));
    expect_range(c, got, n, false);
    expect_range(c, got, n, true);
    end = here.boundary.end;
    rows += here.interior.size() + here.boundary.size();
  }
  EXPECT_EQ(rows, static_cast<std::int64_t>(c.pattern.rows.size()));
  EXPECT_GE(got.classes.rows, end);
  EXPECT_LT(got.classes.rows - end, c.alignment);
}

class OrderByColour : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(OrderByColour, PlacesRowsByClassAndSide) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const Pattern pattern = random_pattern({.seed = seed,
                                            .count = 150,
                                            .connected = 0.04,
                                            .empty = 0.1,
                                            .outside = 0.25 * (seed % 4),
                                            .outer = seed % 2 == 0 ? 5 : 0});
    expect_ordered({pattern, GetParam(), 1 + static_cast<int>(seed % 2)});
  }
}

TEST_P(OrderByColour, PutsACompactBoundaryApart) {
  // A plane of the grid is long enough for 8 classes where a class's unit is one row, or two.
  const Pattern pattern = with_boundary(grid_pattern(7, 6, 5), 6 * 7 * 4, 6 * 7 * 5);
  ASSERT_TRUE(compact(pattern, 42));
  expect_ordered({pattern, GetParam(), 2});
  const Ordered got = ordered({pattern, GetParam()});
  EXPECT_EQ(got.classes.classes.front().interior.size() > 0, GetParam() == 1);
}

TEST_P(OrderByColour, LeavesTheBoundaryAmongOthersWhereThatIsWanted) {
  const Pattern pattern = with_boundary(grid_pattern(7, 6, 5), 6 * 7 * 4, 6 * 7 * 5);
  const ClassesCase c{pattern, GetParam(), 2, Boundary::among};
  expect_ordered(c);
  EXPECT_EQ(ordered(c).classes.classes.front().interior.size(), 0);
}

TEST(RowClasses, PutLongRunsOfTheBoundaryApart) {
  const Pattern pattern = with_boundary(grid_pattern(16, 16, 3), 16 * 16 * 2, 16 * 16 * 3);
  expect_ordered({pattern, 32, 2});
  EXPECT_GT(ordered({pattern, 32}).classes.classes.front().interior.size(), 0);
  EXPECT_EQ(ordered({pattern, 64}).classes.classes.front().interior.size(), 0);
}

TEST_P(OrderByColour, LeavesAScatteredBoundaryAmongOthers) {
  const Pattern pattern = with_boundary(grid_pattern(7, 6, 5), 6, 7 * 6 * 5, 7);
  ASSERT_FALSE(compact(pattern, 8));
  expect_ordered({pattern, GetParam(), 2});
  for (const RowClass& rows : ordered({pattern, GetParam()}).classes.classes) {
    EXPECT_EQ(rows.interior.size(), 0);
  }
}

TEST(RowClasses, PadTheirRanges) {
  const Ordered got = ordered({grid_pattern(7, 6, 5), 32});
  std::int64_t end = 0;
  for (std::size_t n = 0; n < got.classes.classes.size(); ++n) {
    const Range whole = got.classes.padded(n);
    EXPECT_EQ(whole.begin, end);
    EXPECT_GE(whole.end, got.classes.classes[n].all().end);
    end = whole.end;
  }
  EXPECT_EQ(end, got.classes.rows);
}

TEST_P(OrderByColour, TakesGrids) { expect_ordered({grid_pattern(7, 6, 5), GetParam()}); }

INSTANTIATE_TEST_SUITE_P(Alignments, OrderByColour, ::testing::Values(1, 8, 32, 256));

}  // namespace
}  // namespace bankfull
