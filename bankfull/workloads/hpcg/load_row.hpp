#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/rows.hpp"

#include <cstdint>

namespace bankfull::hpcg {

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

}  // namespace bankfull::hpcg
