#pragma once

#include "bankfull/core/exec/async_copy.cuh"
#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/workloads/npb/cg/cuda/tiling.hpp"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// The block's shared memory: a panel's part of the vector, and sums of rows behind it.
__device__ __forceinline__ double* product_workspace() {
  extern __shared__ __align__(128) unsigned char workspace[];
  return reinterpret_cast<double*>(workspace);
}

/// Elements of a panel.
__device__ __forceinline__ int panel_size(const Tiling& tiling, int panel) {
  const std::int64_t first = std::int64_t{panel} * tiling.panel_columns;
  return static_cast<int>(min(std::int64_t{tiling.panel_columns}, tiling.vector_size() - first));
}

/// Zeros for a panel of any number, by all threads of the block.
__device__ __forceinline__ void clear_panel(const Tiling& tiling, double* x) {
  for (int n = static_cast<int>(threadIdx.x); n < tiling.panel_columns; n += solver_threads) {
    x[n] = 0.0;
  }
}

/// Starts copying the panel's part of a vector to shared memory. Called by all threads of the block
/// when none of them reads the previous contents any more.
__device__ __forceinline__ void begin_panel(const Tiling& tiling, int panel, const double* vector,
                                            double* x) {
  const double* const from = vector + std::int64_t{panel} * tiling.panel_columns;
  const int size = panel_size(tiling, panel);
  for (int n = 2 * static_cast<int>(threadIdx.x); n < size; n += 2 * solver_threads) {
    begin_copy16(x + n, from + n);
  }
}

/// By all threads of the block: waits for the panel.
__device__ __forceinline__ void finish_panel() {
  finish_copies();
  __syncthreads();
}

/// Copies one panel after the other, by the copy engine where there is one, which leaves the
/// threads free to load entries meanwhile. All functions are called by all threads of the block.
class Panels {
 public:
  __device__ __forceinline__ Panels(const Tiling& tiling, const double* vector, double* x)
      : tiling_(tiling), vector_(vector), x_(x), arrival_{arrival_address()} {
    if constexpr (by_engine) {
      if (threadIdx.x == 0) {
        arrival_.initialise();
        publish_copy_barriers();
      }
    }
  }

  /// When none of them reads the previous one any more.
  __device__ __forceinline__ void begin(int panel) {
    __syncthreads();
    if constexpr (by_engine) {
      if (threadIdx.x == 0) {
        const auto bytes = static_cast<std::uint32_t>(panel_size(tiling_, panel)) *
                           static_cast<std::uint32_t>(sizeof(double));
        arrival_.expect(bytes);
        copy_bulk(shared_address(x_), vector_ + std::int64_t{panel} * tiling_.panel_columns, bytes,
                  arrival_);
      }
    } else {
      begin_panel(tiling_, panel, vector_, x_);
    }
  }

  __device__ __forceinline__ void finish() {
    if constexpr (by_engine) {
      arrival_.wait(parity_);
      parity_ ^= 1U;
    } else {
      finish_panel();
    }
  }

 private:
  static constexpr bool by_engine = compiled_capability >= bulk_copy_capability;

  __device__ __forceinline__ static std::uint32_t arrival_address() {
    __shared__ std::uint64_t barrier;
    return shared_address(&barrier);
  }

  const Tiling& tiling_;
  const double* vector_;
  double* x_;
  CopyBarrier arrival_;
  std::uint32_t parity_ = 0;
};

}  // namespace bankfull::npb::cg::cuda
