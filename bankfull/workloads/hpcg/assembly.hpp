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
    const std::int64_t plane = grid.x.local * grid.y.local;
    const std::int64_t at_z = row / plane;
    const std::int64_t at_y = row % plane / grid.x.local;
    const std::int64_t at_x = row % grid.x.local;
    std::int64_t n = start[row];
    for (std::int64_t z = at_z - 1; z <= at_z + 1; ++z) {
      for (std::int64_t y = at_y - 1; y <= at_y + 1; ++y) {
        for (std::int64_t x = at_x - 1; x <= at_x + 1; ++x) {
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

/// Row of the finer level at which a row of the coarser one lies.
struct FineRowOf {
  LocalGrid fine = {};
  LocalGrid coarse = {};
  std::int32_t* fine_row = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const std::int64_t plane = coarse.x.local * coarse.y.local;
    const std::int64_t z = 2 * (row / plane);
    const std::int64_t y = 2 * (row % plane / coarse.x.local);
    const std::int64_t x = 2 * (row % coarse.x.local);
    fine_row[row] = static_cast<std::int32_t>((z * fine.y.local + y) * fine.x.local + x);
  }
};

}  // namespace bankfull::hpcg
