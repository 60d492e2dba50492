#include "bankfull/numerics/sparse/row_runs.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"
#include "tests/numerics/sparse/patterns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

std::vector<std::int32_t> starts_of(const Pattern& pattern, std::int64_t longest = longest_run) {
  const Csr matrix = csr_of(pattern);
  const CpuExecutor executor(2);
  const RowRuns runs = find_row_runs(executor, matrix.view(), longest);
  return executor.to_host(runs.start.data(), runs.count + 1);
}

bool connected(const Pattern& pattern, std::int32_t row, std::int32_t column) {
  const auto& columns = pattern.rows[static_cast<std::size_t>(row)];
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

TEST(RowRuns, EndWithTheLinesOfAGrid) {
  for (const int nx : {3, 5, 31, 32, 33, 52, 104}) {
    const Pattern pattern = grid_pattern(nx, 3, 4);
    const std::vector<std::int32_t> starts = starts_of(pattern);
    for (int line = 0; line <= 12; ++line) {
      EXPECT_TRUE(std::binary_search(starts.begin(), starts.end(), line * nx))
          << "line " << line << " of " << nx;
    }
    // No more than a line takes, and one for the multiple of 32 that it may have anywhere.
    EXPECT_LE(starts.size(), static_cast<std::size_t>(12 * ((nx + 31) / 32 + 1) + 1));
  }
}

TEST(RowRuns, AreTheLinesOfAGridWhereTheirLengthIsUnlimited) {
  for (const int nx : {3, 5, 32, 33, 104}) {
    const std::vector<std::int32_t> starts = starts_of(grid_pattern(nx, 3, 4), unlimited_run);
    ASSERT_EQ(starts.size(), 13U);
    for (int line = 0; line <= 12; ++line) {
      EXPECT_EQ(starts[static_cast<std::size_t>(line)], line * nx) << nx;
    }
  }
}

TEST(RowRuns, HoldConnectedRowsAndAllOfThem) {
  for (const double share : {0.0, 0.3, 0.9}) {
    const Pattern pattern = random_pattern(
        {.seed = 3, .count = 200, .connected = share, .empty = 0.1, .outside = 0.2, .outer = 7});
    const std::vector<std::int32_t> starts = starts_of(pattern);
    EXPECT_EQ(starts.front(), 0);
    EXPECT_EQ(starts.back(), 200);
    for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
      EXPECT_GT(starts[run + 1], starts[run]);
      EXPECT_LE(starts[run + 1] - starts[run], longest_run);
      for (std::int32_t row = starts[run] + 1; row < starts[run + 1]; ++row) {
        EXPECT_TRUE(connected(pattern, row, row - 1)) << row;
      }
    }
  }
}

}  // namespace
}  // namespace bankfull
