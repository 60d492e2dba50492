#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/hpcg/cuda/slices.cuh"

#include <cstddef>

namespace bankfull::hpcg::cuda {

/// A sum over rows which the kernel that forms the rows' terms adds up itself, or the last of
/// several such kernels: one that did nothing else would take several microseconds, most of them to
/// begin.
///
/// The partial sum of a block is its own flag: the block that starts last waits for all of them and
/// adds them up in the order of their numbers. Blocks start in that order, as device-wide scans
/// also assume, so that those waited for are done or running.
struct BlockSums {
  double* partials = nullptr;  ///< of all kernels; awaited_value() before and after
  unsigned first = 0;          ///< of this kernel's blocks
  unsigned count = 0;          ///< of all kernels; 0 in all but the last one
  double* sum = nullptr;
  double* previous = nullptr;  ///< receives what `sum` was before; null if nobody needs it
};

/// The thread's share of partial sums, which it marks as awaited again.
__device__ __forceinline__ double take_partials(double* partials, unsigned count) {
  constexpr unsigned batch = 8;  // loads in flight
  double sum = 0.0;
  for (unsigned begin = threadIdx.x; begin < count; begin += batch * blockDim.x) {
    double value[static_cast<std::size_t>(batch)];
#pragma unroll
    for (unsigned n = 0; n < batch; ++n) {
      const unsigned at = begin + n * blockDim.x;
      value[n] = at < count ? load_relaxed(partials + at) : 0.0;
    }
#pragma unroll
    for (unsigned n = 0; n < batch; ++n) {
      const unsigned at = begin + n * blockDim.x;
      while (is_awaited(value[n])) {
        value[n] = load_relaxed(partials + at);
      }
      sum += value[n];
      if (at < count) {
        partials[at] = awaited_value();
      }
    }
  }
  return sum;
}

/// Adds the terms of a block's threads, all of which call it. `block` is the block's place in the
/// order in which the `blocks` of the kernel start.
__device__ __forceinline__ void add_up(const BlockSums& sums, double term, unsigned block,
                                       unsigned blocks) {
  const double own = block_sum(term);
  if (threadIdx.x == 0) {
    store_relaxed(sums.partials + sums.first + block, own);
  }
  if (sums.count == 0 || block + 1 != blocks) {
    return;
  }
  const double sum = block_sum(take_partials(sums.partials, sums.count));
  if (threadIdx.x == 0) {
    if (sums.previous != nullptr) {
      *sums.previous = *sums.sum;
    }
    *sums.sum = sum;
  }
}

}  // namespace bankfull::hpcg::cuda
