#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/point.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {
class CudaExecutor;
}

namespace bankfull::hpcg {

// The set-up of each row; bodies for an executor's `each`.

struct CountEntries {
  LocalGrid grid = {};
  std::int32_t* count = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const { count[row] = grid.entries(row); }
};

struct FillRow {
  LocalGrid grid = {};
  const std::int64_t* start = {};
  std::int32_t* column = {};
  double* value = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const Point at = grid.point_of_row(row);
    std::int64_t n = start[row];
    for (int line = 0; line < lines; ++line) {
      n = fill_line(row, at, line, n);
    }
  }

  /// Lines of points along x that hold neighbours of a point.
  static constexpr int lines = 9;

  [[nodiscard]] BANKFULL_HOST_DEVICE bool has_line(const Point& at, int line) const {
    return grid.y.inside(at.y + line % 3 - 1) && grid.z.inside(at.z + line / 3 - 1);
  }

  /// The row's entries of one line, from entry n on; returns which one follows.
  BANKFULL_HOST_DEVICE std::int64_t fill_line(std::int64_t row, const Point& at, int line,
                                              std::int64_t n) const {
    if (!has_line(at, line)) {
      return n;
    }
    for (std::int64_t x = at.x - 1; x <= at.x + 1; ++x) {
      if (grid.x.inside(x)) {
        put(n, row, {x, at.y + line % 3 - 1, at.z + line / 3 - 1});
        ++n;
      }
    }
    return n;
  }

  /// Entry n, which is the row's one for this point.
  BANKFULL_HOST_DEVICE void put(std::int64_t n, std::int64_t row, const Point& at) const {
    const std::int64_t neighbour = grid.column(at.x, at.y, at.z);
    column[n] = static_cast<std::int32_t>(neighbour);
    value[n] = entry(neighbour == row);
  }
};

/// Queues FillRow for all rows, a warp a row: neighbouring threads write neighbouring entries.
/// Defined in cuda/fill_rows.cu.
void fill_rows_by_warps(const CudaExecutor& executor, const FillRow& fill);

/// Another operator than the benchmark's, for a check of the checks.
struct ScaleEntry {
  double factor = 1.0;
  double* value = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t n) const { value[n] *= factor; }
};

/// The right-hand side whose solution is 1 everywhere: a row's entries added up.
struct SumRow {
  CsrView matrix = {};
  double* right_hand = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    double sum = 0.0;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      sum += matrix.value[n];
    }
    right_hand[row] = sum;
  }
};

/// Numbers of rows in a list, in a new order.
struct Renumber {
  const std::int32_t* new_of = {};
  std::int32_t* list = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t n) const { list[n] = new_of[list[n]]; }
};

/// Row of the finer level at which a row of the coarser one lies.
struct FineRowOf {
  LocalGrid fine = {};
  LocalGrid coarse = {};
  std::int32_t* fine_row = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const Point at = coarse.point_of_row(row);
    fine_row[row] = static_cast<std::int32_t>(fine.column(2 * at.x, 2 * at.y, 2 * at.z));
  }
};

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
  const FillRow fill{geometry.grid, matrix.start.data(), matrix.column.data(), matrix.value.data()};
  if constexpr (Executor::space == MemorySpace::host) {
    executor.each(matrix.rows, fill);
  } else {
    fill_rows_by_warps(executor, fill);
  }
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

/// Rows of a level that other ranks need, by their new numbers.
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

namespace detail {

/// What make_levels allocates for levels of these grids, with room for what it needs meanwhile.
inline std::int64_t bytes_of_levels(const std::vector<Level>& levels) {
  constexpr std::int64_t entry_bytes = sizeof(double) + sizeof(std::int32_t);
  std::int64_t bytes = 0;
  for (const Level& level : levels) {
    const LocalGrid& grid = level.geometry.grid;
    const bool finest = &level == &levels.front();
    const std::int64_t row_bytes = sizeof(std::int64_t) + sizeof(std::int32_t) +
                                   (finest ? sizeof(double) : sizeof(std::int32_t));
    bytes += grid.all_entries() * entry_bytes + grid.rows() * row_bytes;
  }
  constexpr std::int64_t ends_of_arrays = 1 << 16;
  return bytes + ends_of_arrays;
}

}  // namespace detail

/// All levels of a rank's system, the finest first; with matrices of the host, one per level, in
/// place of the benchmark's where some are given.
template <class Executor>
std::vector<Level> make_levels(const Executor& given, const Problem& problem, int ranks, int rank,
                               const std::vector<HostCsr>& matrices = {}) {
  expects(matrices.empty() || matrices.size() == level_count, "there is a matrix for each level");
  std::vector<Level> levels;
  levels.reserve(level_count);
  for (int n = 0; n < level_count; ++n) {
    levels.push_back({make_geometry(decompose(problem, ranks, n), rank), {}});
  }
  const Executor executor = given.with_region(detail::bytes_of_levels(levels));
  for (std::size_t n = 0; n < levels.size(); ++n) {
    Level& level = levels[n];
    level.matrix =
        matrices.empty() ? assemble(executor, level.geometry) : load_csr(executor, matrices.at(n));
    const std::int64_t rows = level.matrix.rows;
    if (n == 0) {
      level.right_hand = executor.template make<double>(rows);
      executor.each(rows, SumRow{level.matrix.view(), level.right_hand.data()});
    } else {
      level.fine_row = executor.template make<std::int32_t>(rows);
      executor.each(
          rows, FineRowOf{levels[n - 1].geometry.grid, level.geometry.grid, level.fine_row.data()});
    }
  }
  executor.synchronize();
  return levels;
}

}  // namespace bankfull::hpcg
