#pragma once

#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

/// Rows of a field that are copied to another one: row (i, j) from row (first_i + i, first_j + j),
/// which lies beyond an end of a periodic axis, too.
struct RowCopy {
  const float* from = nullptr;
  Pitches from_at = {};
  int first_i = 0;
  int first_j = 0;
  int period_i = 1;
  int period_j = 1;
  float* to = nullptr;
  Pitches to_at = {};
  int planes = 0;
  int rows = 0;
  int columns = 0;

  [[nodiscard]] __device__ __forceinline__ const float* source(int i, int j) const {
    return from + wrapped(first_i + i, period_i) * from_at.plane +
           wrapped(first_j + j, period_j) * from_at.row;
  }

  static __device__ __forceinline__ int wrapped(int n, int period) {
    const int within = n % period;
    return within < 0 ? within + period : within;
  }
};

inline constexpr int row_copy_warps = 8;

/// A warp per row; blocks (., n) do copy n.
static __global__ void __launch_bounds__(32 * row_copy_warps)
    copy_rows_kernel(const RowCopy* copies) {
  const RowCopy copy = copies[blockIdx.y];
  const int rows = copy.planes * copy.rows;
  for (int row = static_cast<int>(blockIdx.x * row_copy_warps + threadIdx.y); row < rows;
       row += static_cast<int>(gridDim.x) * row_copy_warps) {
    const int i = row / copy.rows;
    const int j = row % copy.rows;
    const float* const from = copy.source(i, j);
    float* const to = copy.to + i * copy.to_at.plane + j * copy.to_at.row;
    for (int k = static_cast<int>(threadIdx.x); k < copy.columns; k += 32) {
      to[k] = from[k];
    }
  }
}

/// Copies that are done again and again at once.
class RowCopies {
 public:
  RowCopies(const std::vector<RowCopy>& copies, const Stream& stream)
      : copies_(device_copy(copies, stream)) {
    int rows = 1;
    for (const RowCopy& copy : copies) {
      rows = std::max(rows, copy.planes * copy.rows);
    }
    constexpr int max_blocks = 1024;
    const int blocks = std::min((rows + row_copy_warps - 1) / row_copy_warps, max_blocks);
    grid_ = dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(copies.size()));
  }

  void queue(const Stream& stream) const {
    launch(stream, {grid_, dim3(32, row_copy_warps)}, copy_rows_kernel, copies_.data());
  }

 private:
  Buffer<RowCopy> copies_;
  dim3 grid_;
};

}  // namespace bankfull::poisson::multigrid::cuda
