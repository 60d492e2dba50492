#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <cstddef>

namespace bankfull {

/// Sum over a warp in a fixed order; lane 0 gets it.
__device__ __forceinline__ double warp_sum(double value) {
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(~0U, value, offset);
  }
  return value;
}

/// Sum over a block in a fixed order; every thread of the block calls it, thread 0 gets the sum.
__device__ __forceinline__ double block_sum(double value) {
  __shared__ double sums[32];
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
  value = warp_sum(value);
  if (thread % 32 == 0) {
    sums[thread / 32] = value;
  }
  __syncthreads();
  if (thread < 32) {
    value = warp_sum(thread < warps ? sums[thread] : 0.0);
  }
  __syncthreads();  // a second sum may overwrite
  return value;
}

namespace detail {

/// Block (x, y) sums span x of list y; the lists follow one another, `count` values each.
template <class T>
__global__ void __launch_bounds__(1024) sum_spans(const T* values, T* sums, int count, int span) {
  const T* list = values + static_cast<std::size_t>(blockIdx.y) * count;
  const int begin = static_cast<int>(blockIdx.x) * span;
  const int end = min(count, begin + span);
  T sum = 0;
  for (int n = begin + static_cast<int>(threadIdx.x); n < end; n += static_cast<int>(blockDim.x)) {
    sum += list[n];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.y * gridDim.x + blockIdx.x] = sum;
  }
}

}  // namespace detail

/// Adds up the partial sums of a kernel's blocks, always in the same order, so that a sum has the
/// same bits in every run. It holds room for `max_partials` partial sums in GPU memory.
class FixedOrderSums {
 public:
  /// `max_partials`: of all lists of one call of `queue` together.
  explicit FixedOrderSums(std::size_t max_partials)
      : partials_(MemorySpace::device, max_partials),
        spans_(MemorySpace::device, max_partials / span + max_lists) {}

  static constexpr int max_lists = 16;  ///< lists that one call of `queue` may add up

  /// Where kernels write: list after list, `count` partial sums each.
  [[nodiscard]] double* partials() const { return partials_.data(); }

  /// Queues sums[n] = sum of list n; `sums` is GPU memory.
  void queue(const Stream& stream, int count, int lists, double* sums) const {
    const unsigned list_count = static_cast<unsigned>(lists);
    const unsigned spans = static_cast<unsigned>((count - 1) / span + 1);
    if (spans == 1) {
      launch(stream, {dim3(1, list_count), dim3(1024)}, detail::sum_spans<double>, partials_.data(),
             sums, count, count);
      return;
    }
    launch(stream, {dim3(spans, list_count), dim3(1024)}, detail::sum_spans<double>,
           partials_.data(), spans_.data(), count, span);
    const int span_count = static_cast<int>(spans);
    launch(stream, {dim3(1, list_count), dim3(1024)}, detail::sum_spans<double>, spans_.data(),
           sums, span_count, span_count);
  }

 private:
  static constexpr int span = 8192;

  Buffer<double> partials_;
  Buffer<double> spans_;
};

}  // namespace bankfull
