#pragma once

#include "bankfull/core/exec/reduce.cuh"

#include <cstdint>

namespace bankfull {

/// What a block publishes on arriving at a grid-wide barrier: the two halves of its term, each
/// tagged with the epoch of the barrier, so that readers can tell whether the term has been
/// written.
struct alignas(16) GridTerm {
  std::uint64_t lower;  ///< the low 32 bits of the term, below the epoch
  std::uint64_t upper;  ///< its high 32 bits, below the epoch
};

namespace detail {

/// Orders the memory accesses before it, of this thread and of those it has synchronised with,
/// before those after it.
__device__ __forceinline__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

__device__ __forceinline__ void store_term(GridTerm* at, double value, std::uint32_t epoch) {
  const auto tag = static_cast<std::uint64_t>(epoch) << 32;
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
  asm volatile(
      "st.relaxed.gpu.global.u64 [%0], %1;\n\tst.relaxed.gpu.global.u64 [%0 + 8], %2;" ::"l"(at),
      "l"(tag | (bits & 0xffffffffU)), "l"(tag | bits >> 32)
      : "memory");
}

__device__ __forceinline__ double await_term(const GridTerm* at, std::uint32_t epoch) {
  std::uint64_t lower;
  std::uint64_t upper;
  do {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%2];\n\tld.relaxed.gpu.global.u64 %1, [%2 + 8];"
                 : "=l"(lower), "=l"(upper)
                 : "l"(at)
                 : "memory");
  } while (lower >> 32 != epoch || upper >> 32 != epoch);
  return __longlong_as_double(static_cast<long long>(upper << 32 | (lower & 0xffffffffU)));
}

}  // namespace detail

/// Sums over all threads of all blocks of a kernel launched by `launch_together`, always in the
/// same order. Each sum is also a grid-wide barrier: what any block wrote before it is visible to
/// all blocks after it, except through the read-only path (`__ldg`). Blocks are one-dimensional and
/// have at least as many threads as the grid has blocks.
///
/// Every block adds up all terms itself: with one block adding up for all, a sum would take two
/// round trips through memory instead of one.
class GridSum {
 public:
  /// Length of `terms`, which must be 0 when the kernel starts.
  static constexpr std::size_t terms_of(std::size_t blocks) { return 2 * blocks; }

  /// `terms`: `terms_of(gridDim.x)` of them in GPU memory. `place`: of the block among all, in the
  /// order in which their terms are added; no two blocks have the same. It is read at each sum.
  __device__ __forceinline__ GridSum(GridTerm* terms, const int& place)
      : terms_(terms), place_(place) {}

  /// To be called by all threads: the sum of their terms, bitwise equal in all of them.
  __device__ __forceinline__ double operator()(double term) {
    return arrive_and_sum(block_sum(term));
  }

 private:
  static constexpr unsigned warp_threads = 32;

  /// Grid-wide barrier and sum of the blocks' terms. Uses `own` of thread 0 only, with which all
  /// threads of the block must have synchronised.
  ///
  /// The rows of terms are double-buffered: blocks that still read one row are not disturbed by
  /// arrivals in the next epoch, and no block enters the epoch after that before all have arrived
  /// in the next one.
  __device__ double arrive_and_sum(double own) {
    __shared__ double warp_sums[warp_threads];
    ++epoch_;
    GridTerm* const terms = terms_ + epoch_ % 2 * gridDim.x;
    if (threadIdx.x == 0) {
      detail::fence();
      detail::store_term(terms + place_, own, epoch_);
    }
    const unsigned warps = (gridDim.x + warp_threads - 1) / warp_threads;
    if (threadIdx.x < warps * warp_threads) {
      double value = 0.0;
      if (threadIdx.x < gridDim.x) {
        value = detail::await_term(terms + threadIdx.x, epoch_);
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
  const int& place_;
  std::uint32_t epoch_ = 0;
};

}  // namespace bankfull
