#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/point.hpp"

#include <cstdint>

namespace bankfull::hpcg {

// What the reference does to one row, in the order of the benchmark's own source; bodies for both
// devices. A row's entries are added up in their order.

/// (A x) of a row.
BANKFULL_HOST_DEVICE inline double row_times(const CsrView& matrix, std::int64_t row,
                                             const double* x) {
  double sum = 0.0;
  for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
    sum += matrix.value[n] * x[matrix.column[n]];
  }
  return sum;
}

/// The value that makes the residual of a row vanish, given x of the other columns.
BANKFULL_HOST_DEVICE inline double relaxed(const CsrView& matrix, std::int64_t row,
                                           double right_hand, const double* x) {
  double sum = right_hand;
  double diagonal = 1.0;
  for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
    const std::int32_t column = matrix.column[n];
    if (column == row) {
      diagonal = matrix.value[n];
    } else {
      sum -= matrix.value[n] * x[column];
    }
  }
  return sum / diagonal;
}

/// The benchmark's diagonal and right-hand side, or the exaggerated ones.
struct LoadRow {
  LocalGrid grid = {};
  CsrView matrix = {};
  double* value = {};
  double* right_hand = {};
  bool exaggerated = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const double scale = exaggerated ? exaggeration(grid.global_row(row)) : 1.0;
    const std::int64_t first = matrix.start[row];
    const std::int64_t last = matrix.start[row + 1];
    for (std::int64_t n = first; n < last; ++n) {
      if (matrix.column[n] == row) {
        value[n] = scale * entry(true);
      }
    }
    right_hand[row] = scale * right_hand_side(static_cast<int>(last - first));
  }
};

}  // namespace bankfull::hpcg
