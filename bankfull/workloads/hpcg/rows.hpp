#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/point.hpp"

#include <cstdint>

namespace bankfull::hpcg {

// Operations on one row, in the order of the benchmark's own source; bodies for both devices. A
// row's entries are summed in their order. Only stored values are used.

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

BANKFULL_HOST_DEVICE inline double diagonal_of(const CsrView& matrix, std::int64_t row) {
  double diagonal = 1.0;
  for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
    diagonal = matrix.column[n] == row ? matrix.value[n] : diagonal;
  }
  return diagonal;
}

/// The diagonal of a matrix out of its entries; a body for an executor's `each`.
struct ReadDiagonal {
  CsrView matrix = {};
  double* diagonal = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    diagonal[row] = diagonal_of(matrix, row);
  }
};

/// The factor of the stored diagonal and right-hand side of a row.
BANKFULL_HOST_DEVICE inline double row_scale(const LocalGrid& grid, std::int64_t row,
                                             bool exaggerated) {
  return exaggerated ? exaggeration(grid.global_row(row)) : 1.0;
}

/// Puts the finest level's diagonal and right-hand side into the matrix and vector that are solved
/// with, as the set-up stored them or exaggerated.
struct LoadRow {
  LocalGrid grid = {};
  CsrView matrix = {};
  const double* stored_diagonal = {};
  const double* stored_right_hand = {};
  double* value = {};
  double* right_hand = {};
  bool exaggerated = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const double scale = row_scale(grid, row, exaggerated);
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      if (matrix.column[n] == row) {
        value[n] = scale * stored_diagonal[row];
      }
    }
    right_hand[row] = scale * stored_right_hand[row];
  }
};

/// The finest level's diagonal and right-hand side in a new order of rows, as the set-up stored
/// them or exaggerated.
struct LoadNewRow {
  LocalGrid grid = {};
  CsrView matrix = {};
  const double* stored_right_hand = {};
  const std::int32_t* old_of = {};
  double* diagonal = {};
  double* right_hand = {};
  bool exaggerated = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const std::int32_t old = old_of[row];
    if (old < 0) {
      diagonal[row] = 1.0;
      right_hand[row] = 0.0;
      return;
    }
    const double scale = row_scale(grid, old, exaggerated);
    diagonal[row] = scale * diagonal_of(matrix, old);
    right_hand[row] = scale * stored_right_hand[old];
  }
};

/// The finest level's right-hand side in a new order of rows, as the set-up stored it.
struct LoadNewRightHand {
  const double* stored = {};
  const std::int32_t* old_of = {};
  double* right_hand = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    right_hand[row] = old_of[row] < 0 ? 0.0 : stored[old_of[row]];
  }
};

}  // namespace bankfull::hpcg
