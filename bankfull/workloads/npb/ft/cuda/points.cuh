#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/numerics/fft/block_fft.cuh"

#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// A field's values, real and imaginary part. The schedule's fields are too large for 32 bits.
using Field = double2*;

template <class Fft>
constexpr int tile_points = Fft::length* Fft::columns;

/// Registers are limited so that two blocks of 64 KiB fit a multiprocessor, or four of 32 KiB: one
/// computes while the others wait for memory.
template <class Fft>
constexpr int blocks_per_multiprocessor = tile_points<Fft> < 8192 ? 8192 / tile_points<Fft> : 1;

/// Reads the points of a thread, which are `step` apart and read once. Addresses are computed one
/// after the other to save registers.
template <int Count>
__device__ __forceinline__ void load_points(const double2* from, std::int64_t step,
                                            Points<Count>& x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    x[i] = __ldcs(from + i * step);
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

/// Prefetches the tile that is `ahead` of a block's, if there is one among `tiles`; 0: none.
template <class Fft, class Tiled>
__device__ __forceinline__ void prefetch_tile(const Tiled& field, unsigned tile, unsigned ahead,
                                              unsigned tiles) {
  if constexpr (compiled_capability >= bulk_copy_capability) {
    if (threadIdx.x == 0 && ahead > 0 && tile + ahead < tiles) {
      prefetch_bulk(field.template tile<Fft>(tile + ahead), tile_points<Fft> * sizeof(double2));
    }
  }
}

}  // namespace bankfull::npb::ft::cuda
