#pragma once

#include <cstdint>

namespace bankfull::npb::is::cuda {

/// Inclusive sums over a warp.
__device__ __forceinline__ std::uint32_t warp_sums(std::uint32_t value) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const std::uint32_t before = __shfl_up_sync(~0U, value, offset);
    value += lane >= offset ? before : 0;
  }
  return value;
}

/// Sums over a block of `Warps` whole warps, all of whose threads call; `sums` is shared memory for
/// a number per warp.
template <int Warps>
class BlockSums {
 public:
  __device__ __forceinline__ explicit BlockSums(std::uint32_t* sums) : sums_(sums) {}

  /// All threads get the sum.
  __device__ __forceinline__ std::uint32_t total(std::uint32_t value) const {
    leave_warp_total(warp_sums(value));
    const std::uint32_t total = __shfl_sync(~0U, before_next_warp(), Warps - 1);
    __syncthreads();
    return total;
  }

  /// Over the threads up to the calling one.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t inclusive(std::uint32_t value) const {
    const std::uint32_t in_warp = warp_sums(value);
    leave_warp_total(in_warp);
    const int warp = static_cast<int>(threadIdx.x / 32);
    const std::uint32_t before = __shfl_sync(~0U, before_next_warp(), max(warp - 1, 0));
    __syncthreads();
    return in_warp + (warp > 0 ? before : 0);
  }

  /// Takes inclusive sums over the warps.
  __device__ __forceinline__ void leave_warp_total(std::uint32_t inclusive) const {
    if (threadIdx.x % 32 == 31) {
      sums_[threadIdx.x / 32] = inclusive;
    }
    __syncthreads();
  }

  /// Over the warps up to the one of this lane's number.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t before_next_warp() const {
    const unsigned lane = threadIdx.x % 32;
    return warp_sums(lane < Warps ? sums_[lane] : 0);
  }

 private:
  std::uint32_t* sums_;
};

}  // namespace bankfull::npb::is::cuda
