#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// Chunks that a kernel's blocks take and wait for.
struct Wave {
  const std::int32_t* order;
  bool reversed;  ///< take them from the end
  const std::int32_t* count;
  const std::int32_t* dependences;
  unsigned* done;   ///< of this sweep
  unsigned* other;  ///< of the sweep in the other direction, which the next one will fill
};

__device__ __forceinline__ unsigned load_done(const unsigned* at) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ __forceinline__ void store_done(unsigned* at, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/// Waits until all chunks that `chunk` depends on are done. Blocks are started in their order, as
/// device-wide scans also rely on, so these chunks' blocks are running or done.
__device__ __forceinline__ void wait_for_columns(const Wave& wave, std::int32_t chunk) {
  const int count = wave.count[chunk];
  if (static_cast<int>(threadIdx.x) < count) {
    const std::int32_t awaited =
        wave.dependences[std::int64_t{chunk} * most_dependences + threadIdx.x];
    while (load_done(wave.done + awaited) == 0U) {
    }
  }
  __syncthreads();
}

/// Lets the chunks go on that depend on this one.
__device__ __forceinline__ void announce(const Wave& wave, std::int32_t chunk) {
  __syncthreads();
  if (threadIdx.x == 0) {
    wave.other[chunk] = 0U;
    store_done(wave.done + chunk, 1U);
  }
}

/// A step of a sweep for all rows of the chunks, each after the chunks that it depends on; where
/// it adds up, the sum of the terms of each block.
template <template <int, class> class Step, int Ahead, bool Summing, class Columns>
__global__ void __launch_bounds__(threads_a_block)
    wave_kernel(const __grid_constant__ Wave wave,
                const __grid_constant__ LevelArguments<Columns> a, double* partials) {
  static_assert(threads_a_block == chunk_rows);
  const unsigned place = wave.reversed ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const std::int32_t chunk = wave.order[place];
  const Step<Ahead, Columns> step(a, std::int64_t{chunk} * chunk_rows + threadIdx.x);
  wait_for_columns(wave, chunk);
  const double term = step.run();
  announce(wave, chunk);
  if constexpr (Summing) {
    const double sum = block_sum(term);
    if (threadIdx.x == 0) {
      partials[blockIdx.x] = sum;
    }
  }
}

}  // namespace bankfull::hpcg::cuda
