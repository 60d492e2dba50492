#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/level.hpp"
#include "bankfull/workloads/hpcg/point.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

class CgBackend;
struct RankSite;

/// Finds rows of a level that are not the benchmark's, on the device where they are stored, as the
/// official program's CheckProblem does before a run. A row must have
///
/// - as many entries as its point has neighbours on the whole grid, itself included,
/// - one column for each of these, in the order of the points,
/// - the benchmark's values, and on the finest level its right-hand side.
///
/// The position of a column is derived from its number, the inverse of what assembly does.
struct CheckRow {
  LocalGrid grid = {};
  CsrView matrix = {};
  const double* right_hand = {};  ///< null without
  std::uint8_t* wrong = {};       ///< 1 for such rows, else 0

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    wrong[row] = is_the_benchmarks(row) ? 0 : 1;
  }

 private:
  [[nodiscard]] BANKFULL_HOST_DEVICE bool is_the_benchmarks(std::int64_t row) const {
    const std::int64_t first = matrix.start[row];
    const int entries = grid.entries(row);
    if (matrix.start[row + 1] - first != entries) {
      return false;
    }
    const Point here = grid.point_of_row(row);
    std::int64_t before = -1;
    for (std::int64_t n = first; n < first + entries; ++n) {
      const std::int32_t column = matrix.column[n];
      if (column < 0 || column >= matrix.columns) {
        return false;
      }
      const Point there = grid.point_of_column(column);
      const std::int64_t place = grid.global_row(there);
      if (!next_to_each_other(here, there) || place <= before ||
          matrix.value[n] != entry(column == row)) {
        return false;
      }
      before = place;
    }
    return right_hand == nullptr || right_hand[row] == right_hand_side(entries);
  }

  static BANKFULL_HOST_DEVICE bool next_to_each_other(const Point& a, const Point& b) {
    const auto near = [](std::int64_t s, std::int64_t t) { return s - t <= 1 && t - s <= 1; };
    return near(a.x, b.x) && near(a.y, b.y) && near(a.z, b.z);
  }
};

/// Rows of all levels that are not the benchmark's.
template <class Executor>
std::int64_t wrong_rows(const Executor& executor, const std::vector<Level>& levels) {
  std::int64_t wrong = 0;
  for (const Level& level : levels) {
    const LocalGrid& grid = level.geometry.grid;
    const std::int64_t rows = grid.rows();
    if (level.matrix.rows != rows || level.matrix.columns != level.geometry.columns) {
      wrong += rows;
      continue;
    }
    const auto marks = executor.template make<std::uint8_t>(rows);
    executor.each(rows, CheckRow{grid, level.matrix.view(), level.right_hand.data(), marks.data()});
    wrong += executor.histogram(marks.data(), rows, 2)[1];
  }
  return wrong;
}

/// Collective: rows of all ranks in which a backend's product with random whole numbers, one for
/// each row of the whole system, differs from the benchmark's operator. Sums of integers are exact
/// in any order, so a wrong column is detected, also one of another rank.
std::int64_t wrong_products(CgBackend& backend, const RankSite& site);

}  // namespace bankfull::hpcg
