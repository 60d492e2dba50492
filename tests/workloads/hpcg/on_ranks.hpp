#pragma once

#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/core/exec/team.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::hpcg {

/// So many ranks along each axis, along two and along all three; less of it for many ranks, which
/// share few cores.
inline std::vector<Grid3> process_grids(std::int64_t ranks) {
  std::vector<Grid3> grids{{1, 1, ranks}};
  if (ranks > 1 && ranks <= 4) {
    grids.push_back({1, ranks, 1});
    grids.push_back({ranks, 1, 1});
  }
  if (ranks > 2 && ranks % 2 == 0) {
    grids.push_back({ranks / 2, 1, 2});
  }
  if (ranks % 4 == 0) {
    grids.push_back({2, 2, ranks / 4});
  }
  return grids;
}

/// Exchanges the numbers that rows have in the whole system: every column gets that of its point.
inline void expect_columns_of_others(const Case& c) {
  const textbook::System expected = textbook_of(c);
  const auto levels = make_levels(CpuExecutor(1), c.problem, c.ranks.size(), c.ranks.rank());
  for (const Level& level : levels) {
    const LocalGrid& grid = level.geometry.grid;
    std::vector<double> rows(static_cast<std::size_t>(level.geometry.columns), -1.0);
    for (std::int64_t row = 0; row < grid.rows(); ++row) {
      rows[static_cast<std::size_t>(row)] = static_cast<double>(grid.global_row(row));
    }
    const auto exchange = make_list_exchange<double>(
        ListSetup{.ranks = c.ranks, .neighbours = level.geometry.neighbours}, Team(1));
    exchange->start(rows.data());
    exchange->finish();
    const auto number = static_cast<std::size_t>(&level - levels.data());
    const auto& own = expected.level(number).own[static_cast<std::size_t>(c.ranks.rank())];
    const CsrView matrix = level.matrix.view();
    for (std::size_t row = 0; row < own.size(); ++row) {
      const auto& entries = expected.level(number).entries[own[row]];
      const std::int64_t first = matrix.start[row];
      ASSERT_EQ(matrix.start[row + 1] - first, static_cast<std::int64_t>(entries.size()));
      for (std::size_t n = 0; n < entries.size(); ++n) {
        const std::int32_t column = matrix.column[first + static_cast<std::int64_t>(n)];
        EXPECT_EQ(rows[static_cast<std::size_t>(column)], static_cast<double>(entries[n].column));
      }
    }
  }
}

}  // namespace bankfull::hpcg
