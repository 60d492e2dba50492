#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/numerics/fft/block_fft.cuh"

#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// A field's values, real and imaginary part. The schedule's fields are too large for 32 bits.
using Field = double2*;

/// Registers are rationed so that two blocks of 64 KiB fit a multiprocessor: one computes while the
/// other waits for memory.
template <class Fft>
constexpr int blocks_a_multiprocessor = 8192 / (Fft::points * Fft::threads) > 0
                                            ? 8192 / (Fft::points * Fft::threads)
                                            : 1;

/// Reads the points of a thread, which stand `step` apart and are read once. The steps' pointers
/// are formed one after the other: so many at once would cost registers.
template <int Count>
__device__ __forceinline__ void load_points(const double2* from, std::int64_t step,
                                            Points<Count>& x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    x[i] = __ldcs(from + i * step);
  }
}

/// Likewise what other blocks of this kernel have written: past L1.
template <int Count>
__device__ __forceinline__ void load_exchanged(const double2* from, std::int64_t step,
                                               Points<Count>& x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    x[i] = __ldcg(from + i * step);
  }
}

template <int Count>
__device__ __forceinline__ void store_points(double2* to, std::int64_t step,
                                             const Points<Count>& x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    to[i * step] = x[i];
  }
}

/// Brings a tile that a later block will read into the cache.
template <int Bytes>
__device__ __forceinline__ void prefetch_tile(const double2* tile) {
  if constexpr (compiled_capability >= bulk_copy_capability) {
    if (threadIdx.x == 0) {
      prefetch_bulk(tile, Bytes);
    }
  }
}

}  // namespace bankfull::npb::ft::cuda
