#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// Chunks that a kernel's blocks take and wait for; in a wave_kernel chunks of one piece.
struct Wave {
  const std::int32_t* order;  ///< null: from `first` on
  std::int32_t first;
  bool reversed;  ///< take them from the end
  /// most_dependences of each chunk, -1 where there are fewer; null where nothing is waited for.
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
  if (wave.dependences == nullptr) {
    return;
  }
  if (threadIdx.x < most_dependences) {
    const std::int32_t awaited =
        wave.dependences[std::int64_t{chunk} * most_dependences + threadIdx.x];
    while (awaited >= 0 && load_done(wave.done + awaited) == 0U) {
    }
  }
  __syncthreads();
}

/// Lets the chunks go on that depend on this one.
__device__ __forceinline__ void announce(const Wave& wave, std::int32_t chunk) {
  if (wave.dependences == nullptr) {
    return;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    wave.other[chunk] = 0U;
    store_done(wave.done + chunk, 1U);
  }
}

/// A step of a sweep for all rows of the chunks, each after the chunks that it depends on; where
/// it adds up, the sum of the terms of each block.
///
/// Registers are rationed so that four blocks fit a multiprocessor: more blocks with fewer entries
/// ahead, and fewer with more, both keep less of memory busy.
template <template <class> class Step, bool Summing, class Columns>
__global__ void __launch_bounds__(threads_a_block, 4)
    wave_kernel(const __grid_constant__ Wave wave,
                const __grid_constant__ LevelArguments<Columns> a, double* partials) {
  static_assert(threads_a_block == piece_rows);
  const unsigned place = wave.reversed ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const std::int32_t chunk =
      wave.order == nullptr ? wave.first + static_cast<std::int32_t>(place) : wave.order[place];
  Step<Columns> step(a, std::int64_t{chunk} * piece_rows + threadIdx.x);
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
