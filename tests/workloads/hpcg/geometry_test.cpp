#include "bankfull/workloads/hpcg/geometry.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/hpcg/level.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace bankfull::hpcg {
namespace {

Problem on_ranks(const Grid3& process_grid) {
  Problem problem = small_problem({9, 8, 11});
  problem.process_grid = process_grid;
  return problem;
}

const std::vector<Grid3>& process_grids() {
  static const std::vector<Grid3> grids{{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {1, 1, 2},
                                        {2, 2, 1}, {2, 1, 2}, {3, 3, 3}, {4, 2, 3}};
  return grids;
}

std::vector<Geometry> geometries_of(const Grid3& process_grid, int level) {
  const auto ranks = static_cast<int>(process_grid.count());
  const Decomposition whole = decompose(on_ranks(process_grid), ranks, level);
  std::vector<Geometry> geometries;
  geometries.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    geometries.push_back(make_geometry(whole, rank));
  }
  return geometries;
}

/// Row of the whole system for each column: own rows and those of others, found by walking over all
/// points at most one beyond the rank's block.
std::vector<std::int64_t> global_columns(const Geometry& geometry) {
  const LocalGrid& grid = geometry.grid;
  std::vector<std::int64_t> columns(static_cast<std::size_t>(geometry.columns), -1);
  for (std::int64_t z = -1; z <= grid.z.local; ++z) {
    for (std::int64_t y = -1; y <= grid.y.local; ++y) {
      for (std::int64_t x = -1; x <= grid.x.local; ++x) {
        if (grid.x.inside(x) && grid.y.inside(y) && grid.z.inside(z)) {
          std::int64_t& column = columns.at(static_cast<std::size_t>(grid.column(x, y, z)));
          EXPECT_EQ(column, -1) << "two points share a column";
          column = ((grid.z.begin + z) * grid.y.global + grid.y.begin + y) * grid.x.global +
                   grid.x.begin + x;
        }
      }
    }
  }
  return columns;
}

const ListNeighbour* find_neighbour(const Geometry& geometry, int rank) {
  const auto found = std::find_if(geometry.neighbours.begin(), geometry.neighbours.end(),
                                  [&](const ListNeighbour& n) { return n.rank == rank; });
  return found == geometry.neighbours.end() ? nullptr : &*found;
}

TEST(Geometry, ColumnsAreThePointsAround) {
  for (const Grid3& grid : process_grids()) {
    for (int level = 0; level < level_count; ++level) {
      for (const Geometry& geometry : geometries_of(grid, level)) {
        const auto columns = global_columns(geometry);
        EXPECT_EQ(std::count(columns.begin(), columns.end(), -1), 0);
        for (std::int64_t row = 0; row < geometry.grid.rows(); ++row) {
          EXPECT_EQ(columns[static_cast<std::size_t>(row)], geometry.grid.global_row(row));
        }
      }
    }
  }
}

/// What `from` sends to `to` must be the columns that `to` has from it.
void expect_consistent(const std::vector<Geometry>& geometries, int to,
                       const ListNeighbour& neighbour) {
  const auto columns = global_columns(geometries[static_cast<std::size_t>(to)]);
  const Geometry& from = geometries[static_cast<std::size_t>(neighbour.rank)];
  const ListNeighbour* const other = find_neighbour(from, to);
  ASSERT_NE(other, nullptr);
  ASSERT_EQ(static_cast<std::int64_t>(other->sent.size()), neighbour.received);
  for (std::size_t n = 0; n < other->sent.size(); ++n) {
    const auto column = static_cast<std::size_t>(neighbour.received_begin) + n;
    EXPECT_EQ(columns.at(column), from.grid.global_row(other->sent[n]));
  }
}

TEST(Geometry, WhatOneSendsTheOtherReceives) {
  for (const Grid3& grid : process_grids()) {
    for (int level = 0; level < level_count; ++level) {
      SCOPED_TRACE(to_string(grid) + ", level " + std::to_string(level));
      const auto geometries = geometries_of(grid, level);
      for (std::size_t rank = 0; rank < geometries.size(); ++rank) {
        std::int64_t received = 0;
        for (const ListNeighbour& neighbour : geometries[rank].neighbours) {
          expect_consistent(geometries, static_cast<int>(rank), neighbour);
          received += neighbour.received;
        }
        EXPECT_EQ(received, geometries[rank].columns - geometries[rank].grid.rows());
      }
    }
  }
}

/// The rows of a rank's matrix by the columns of the whole system.
std::vector<std::map<std::size_t, double>> global_rows(const Level& level) {
  const auto columns = global_columns(level.geometry);
  const CsrView matrix = level.matrix.view();
  std::vector<std::map<std::size_t, double>> rows(static_cast<std::size_t>(matrix.rows));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      const auto column =
          static_cast<std::size_t>(columns[static_cast<std::size_t>(matrix.column[n])]);
      EXPECT_TRUE(rows[static_cast<std::size_t>(row)].emplace(column, matrix.value[n]).second);
    }
  }
  return rows;
}

/// Operator and places of coarse points of one rank on every level.
void expect_textbook_levels(const Grid3& process_grid, int rank) {
  const auto ranks = static_cast<int>(process_grid.count());
  const Problem problem = on_ranks(process_grid);
  const textbook::System expected(problem.local, process_grid);
  const auto levels = make_levels(CpuExecutor(2), problem, ranks, rank);
  ASSERT_EQ(levels.size(), static_cast<std::size_t>(level_count));
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const textbook::Rows& own = expected.level(n).own[static_cast<std::size_t>(rank)];
    const auto rows = global_rows(levels[n]);
    ASSERT_EQ(rows.size(), own.size());
    for (std::size_t row = 0; row < own.size(); ++row) {
      std::map<std::size_t, double> wanted;
      for (const textbook::Entry& entry : expected.level(n).entries[own[row]]) {
        wanted.emplace(entry.column, entry.value);
      }
      EXPECT_EQ(rows[row], wanted);
      if (n > 0) {
        const auto fine = levels[n - 1].geometry.grid.global_row(levels[n].fine_row.data()[row]);
        EXPECT_EQ(static_cast<std::size_t>(fine), expected.level(n).finer[own[row]]);
      }
    }
  }
}

TEST(Levels, AreThoseOfTheTextbook) {
  for (const Grid3& grid : process_grids()) {
    if (grid.count() > 4) {
      continue;
    }
    for (int rank = 0; rank < grid.count(); ++rank) {
      SCOPED_TRACE(to_string(grid) + ", rank " + std::to_string(rank));
      expect_textbook_levels(grid, rank);
    }
  }
}

TEST(Geometry, EntriesAreCountedWithoutRows) {
  for (const Grid3& process_grid : process_grids()) {
    SCOPED_TRACE(to_string(process_grid));
    for (const Geometry& geometry : geometries_of(process_grid, 1)) {
      const LocalGrid& grid = geometry.grid;
      std::int64_t entries = 0;
      for (std::int64_t row = 0; row < grid.rows(); ++row) {
        entries += grid.entries(row);
      }
      EXPECT_EQ(grid.all_entries(), entries);
    }
  }
}

}  // namespace
}  // namespace bankfull::hpcg
