#pragma once

#include "bankfull/core/exec/reduce.cuh"

#include <cstdint>

namespace bankfull {

/// What a block tells the others at a meeting: halves of a number, each with the number of the
/// meeting beside it, so that whoever reads them knows whether they are there.
struct alignas(16) GridTerm {
  std::uint64_t lower;
  std::uint64_t upper;
};

namespace detail {

/// Orders what the thread, and those it has met, did before it and what they do behind it.
__device__ __forceinline__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

__device__ __forceinline__ void store_term(GridTerm* at, double value, std::uint32_t meeting) {
  const auto tag = static_cast<std::uint64_t>(meeting) << 32;
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
  asm volatile(
      "st.relaxed.gpu.global.u64 [%0], %1;\n\tst.relaxed.gpu.global.u64 [%0 + 8], %2;" ::"l"(at),
      "l"(tag | (bits & 0xffffffffU)), "l"(tag | bits >> 32)
      : "memory");
}

__device__ __forceinline__ double await_term(const GridTerm* at, std::uint32_t meeting) {
  std::uint64_t lower;
  std::uint64_t upper;
  do {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%2];\n\tld.relaxed.gpu.global.u64 %1, [%2 + 8];"
                 : "=l"(lower), "=l"(upper)
                 : "l"(at)
                 : "memory");
  } while (lower >> 32 != meeting || upper >> 32 != meeting);
  return __longlong_as_double(static_cast<long long>(upper << 32 | (lower & 0xffffffffU)));
}

}  // namespace detail

/// Sums over all threads of all blocks of a kernel that `launch_together` started, always in the
/// same order. Each is a barrier too: what one block has written before, all blocks see behind it,
/// except through the read-only path (`__ldg`). Blocks are one-dimensional and have at least as
/// many threads as the grid has blocks.
///
/// Nobody adds up for all: that would take two ways through memory instead of one.
class GridSum {
 public:
  /// Length of `terms`, which must be 0 when the kernel starts.
  static constexpr std::size_t terms_of(std::size_t blocks) { return 2 * blocks; }

  __device__ __forceinline__ explicit GridSum(GridTerm* terms) : terms_(terms) {}

  /// By all threads: the sum of their terms, the same bits for all.
  __device__ __forceinline__ double operator()(double term) { return meet(block_sum(term)); }

  /// A barrier only.
  __device__ __forceinline__ void wait() {
    __syncthreads();
    static_cast<void>(meet(0.0));
  }

 private:
  static constexpr unsigned warp_threads = 32;

  /// `own` of thread 0 counts, which all threads of the block have met.
  ///
  /// Two rows of terms in turn: who still reads one is not disturbed by those at the next meeting,
  /// and nobody gets to the one after that before all have come to the next.
  __device__ double meet(double own) {
    __shared__ double warp_sums[warp_threads];
    ++meeting_;
    GridTerm* const terms = terms_ + meeting_ % 2 * gridDim.x;
    if (threadIdx.x == 0) {
      detail::fence();
      detail::store_term(terms + blockIdx.x, own, meeting_);
    }
    const unsigned warps = (gridDim.x + warp_threads - 1) / warp_threads;
    if (threadIdx.x < warps * warp_threads) {
      double value = 0.0;
      if (threadIdx.x < gridDim.x) {
        value = detail::await_term(terms + threadIdx.x, meeting_);
        detail::fence();
      }
      __syncwarp();
      for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2) {
        value += __shfl_down_sync(~0U, value, offset);
      }
      if (threadIdx.x % warp_threads == 0) {
        warp_sums[threadIdx.x / warp_threads] = value;
      }
    }
    __syncthreads();
    double sum = 0.0;
    for (unsigned warp = 0; warp < warps; ++warp) {
      sum += warp_sums[warp];
    }
    return sum;
  }

  GridTerm* terms_;
  std::uint32_t meeting_ = 0;
};

}  // namespace bankfull
