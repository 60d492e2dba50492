#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/point.hpp"

#include <cstdint>

namespace bankfull::hpcg {

/// The benchmark's diagonal and right-hand side, or the exaggerated ones, in a new order of rows.
struct LoadNewRow {
  LocalGrid grid = {};
  CsrView matrix = {};
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
    const double scale = exaggerated ? exaggeration(grid.global_row(old)) : 1.0;
    const auto entries = static_cast<int>(matrix.start[old + 1] - matrix.start[old]);
    diagonal[row] = scale * entry(true);
    right_hand[row] = scale * right_hand_side(entries);
  }
};

}  // namespace bankfull::hpcg
