#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/geometry.hpp"
#include "bankfull/workloads/hpcg/point.hpp"

#include <cstdint>

namespace bankfull::hpcg {

// What each row contributes to the set-up; bodies for an executor's `each`.

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
    for (std::int64_t z = at.z - 1; z <= at.z + 1; ++z) {
      for (std::int64_t y = at.y - 1; y <= at.y + 1; ++y) {
        for (std::int64_t x = at.x - 1; x <= at.x + 1; ++x) {
          if (grid.x.inside(x) && grid.y.inside(y) && grid.z.inside(z)) {
            const std::int64_t neighbour = grid.column(x, y, z);
            column[n] = static_cast<std::int32_t>(neighbour);
            value[n] = entry(neighbour == row);
            ++n;
          }
        }
      }
    }
  }
};

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

}  // namespace bankfull::hpcg
