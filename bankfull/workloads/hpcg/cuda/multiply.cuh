#pragma once

#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// Ranges of rows. Each block takes a part of every one, so that the rows of a block lie close
/// together on the grid and share what they read of x; or of every gridDim.y-th.
struct DealtRanges {
  const Range* ranges = nullptr;  ///< in GPU memory
  int count = 0;
  unsigned blocks = 0;  ///< for the longest range
};

/// y = A x and the terms of x.y.
template <class Columns, Outer Others>
__global__ void __launch_bounds__(threads_a_block, 4)
    multiply_kernel(DealtRanges rows, const __grid_constant__ LevelArguments<Columns> a,
                    const double* x, double* y, double* partials) {
  double term = 0.0;
#pragma unroll 1
  for (int n = static_cast<int>(blockIdx.y); n < rows.count; n += static_cast<int>(gridDim.y)) {
    const Range mine = rows.ranges[n];
    const std::int64_t row = mine.begin + std::int64_t{blockIdx.x} * threads_a_block + threadIdx.x;
    if (row < mine.end) {
      const double own = x[row];
      const double lower = times(a.lower, row, x);
      const double upper = times(a.upper, row, x);
      const double outer = Others == Outer::some ? times(a.outer, row, x) : 0.0;
      const double sum = fma(load_once(a.diagonal + row), own, lower) + upper + outer;
      __stcs(y + row, sum);
      term = fma(sum, own, term);
    }
  }
  term = block_sum(term);
  if (threadIdx.x == 0) {
    partials[blockIdx.y * gridDim.x + blockIdx.x] = term;
  }
}

}  // namespace bankfull::hpcg::cuda
