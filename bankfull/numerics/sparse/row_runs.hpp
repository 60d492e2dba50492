#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/sparse/csr.hpp"

#include <cstdint>
#include <limits>

namespace bankfull {

/// Rows of a run on a CPU, at most: shorter ones are easier to divide among threads.
inline constexpr std::int64_t longest_run = 32;
/// For runs that end only where rows are not connected.
inline constexpr std::int64_t unlimited_run = std::numeric_limits<std::int64_t>::max();

/// Consecutive rows, each connected to the one before it: what must be done row by row anyway. Run
/// n holds rows [start[n], start[n + 1]).
///
/// If runs continued where rows are not connected, in a matrix from a grid from the end of a line
/// of points to the beginning of the next, every line would wait for all of the line before it.
struct RowRuns {
  std::int64_t count = 0;           ///< number of runs
  Buffer<std::int32_t> start = {};  ///< count + 1
};

namespace detail {

struct MarkStarts {
  CsrView matrix = {};
  std::int64_t longest = {};
  std::int32_t* mark = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    bool connected = false;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1] && !connected; ++n) {
      connected = matrix.column[n] == row - 1;
    }
    mark[row] = connected && row % longest != 0 ? 0 : 1;
  }
};

struct PlaceStarts {
  const std::int32_t* mark = {};
  const std::int64_t* place = {};
  std::int32_t* start = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    if (mark[row] != 0) {
      start[place[row]] = static_cast<std::int32_t>(row);
    }
  }
};

}  // namespace detail

/// The runs of a matrix's own rows, in the memory of the executor's device. A run begins at each
/// row that is not connected to the one before it, and at multiples of `longest`.
template <class Executor>
RowRuns find_row_runs(const Executor& executor, const CsrView& matrix, std::int64_t longest) {
  // One row more than there are, marked, is the end of the last run.
  const auto mark = executor.template make<std::int32_t>(matrix.rows + 2);
  const auto place = executor.template make<std::int64_t>(matrix.rows + 2);
  executor.each(matrix.rows, detail::MarkStarts{matrix, longest, mark.data()});
  executor.fill(mark.data() + matrix.rows, 2, std::int32_t{1});
  RowRuns runs;
  const std::int64_t starts = executor.exclusive_sum(mark.data(), matrix.rows + 1, place.data());
  runs.count = starts - 1;
  runs.start = executor.template make<std::int32_t>(starts);
  executor.each(matrix.rows + 1, detail::PlaceStarts{mark.data(), place.data(), runs.start.data()});
  return runs;
}

}  // namespace bankfull
