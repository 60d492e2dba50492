#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/assembly.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

/// One level of the system as the problem's set-up leaves it: rows in their natural order.
struct Level {
  Geometry geometry;
  Csr matrix;
  Buffer<std::int32_t> fine_row = {};  ///< of each row; empty on the finest level
  Buffer<double> right_hand = {};      ///< of the finest level, for the solution 1; else empty
};

/// Writes the columns and values of a matrix whose rows have their places.
template <class Executor>
void fill_rows(const Executor& executor, const Geometry& geometry, Csr& matrix) {
  executor.each(matrix.rows, FillRow{geometry.grid, matrix.start.data(), matrix.column.data(),
                                     matrix.value.data()});
}

template <class Executor>
Csr assemble(const Executor& executor, const Geometry& geometry) {
  const std::int64_t rows = geometry.grid.rows();
  Csr matrix;
  matrix.rows = rows;
  matrix.columns = geometry.columns;
  matrix.start = executor.template make<std::int64_t>(rows + 1);
  {
    const auto count = executor.template make<std::int32_t>(rows + 1);
    executor.each(rows, CountEntries{geometry.grid, count.data()});
    matrix.entries = executor.exclusive_sum(count.data(), rows, matrix.start.data());
  }
  matrix.column = executor.template make<std::int32_t>(matrix.entries);
  matrix.value = executor.template make<double>(matrix.entries);
  fill_rows(executor, geometry, matrix);
  return matrix;
}

/// What other ranks want of a level, by the new numbers of its rows.
template <class Executor>
std::vector<ListNeighbour> renumbered(const Executor& executor,
                                      std::vector<ListNeighbour> neighbours,
                                      const std::int32_t* new_of) {
  for (ListNeighbour& neighbour : neighbours) {
    const auto count = static_cast<std::int64_t>(neighbour.sent.size());
    const auto list = executor.template make<std::int32_t>(count);
    executor.from_host(neighbour.sent, list.data());
    executor.each(count, Renumber{new_of, list.data()});
    neighbour.sent = executor.to_host(list.data(), count);
  }
  return neighbours;
}

/// The values that the set-up stored, which come from `matrices` where `make_levels` was given
/// these, multiplied by 1 + epsilon; for 0 their bits.
template <class Executor>
void perturb_levels(const Executor& executor, std::vector<Level>& levels,
                    const std::vector<HostCsr>& matrices, double epsilon) {
  for (std::size_t n = 0; n < levels.size(); ++n) {
    Level& level = levels[n];
    if (matrices.empty()) {
      fill_rows(executor, level.geometry, level.matrix);
    } else {
      executor.from_host(matrices.at(n).value, level.matrix.value.data());
    }
    if (epsilon != 0.0) {
      executor.each(level.matrix.entries, ScaleEntry{1.0 + epsilon, level.matrix.value.data()});
    }
  }
  executor.synchronize();
}

/// All levels of a rank's system, the finest first; with matrices of the host, one per level, in
/// place of the benchmark's where some are given.
template <class Executor>
std::vector<Level> make_levels(const Executor& executor, const Problem& problem, int ranks,
                               int rank, const std::vector<HostCsr>& matrices = {}) {
  expects(matrices.empty() || matrices.size() == level_count, "there is a matrix for each level");
  std::vector<Level> levels;
  levels.reserve(level_count);
  for (int n = 0; n < level_count; ++n) {
    Level level{make_geometry(decompose(problem, ranks, n), rank), {}, {}};
    level.matrix = matrices.empty() ? assemble(executor, level.geometry)
                                    : load_csr(executor, matrices.at(static_cast<std::size_t>(n)));
    const std::int64_t rows = level.matrix.rows;
    if (n == 0) {
      level.right_hand = executor.template make<double>(rows);
      executor.each(rows, SumRow{level.matrix.view(), level.right_hand.data()});
    } else {
      level.fine_row = executor.template make<std::int32_t>(rows);
      executor.each(
          rows, FineRowOf{levels.back().geometry.grid, level.geometry.grid, level.fine_row.data()});
    }
    levels.push_back(std::move(level));
  }
  executor.synchronize();
  return levels;
}

}  // namespace bankfull::hpcg
