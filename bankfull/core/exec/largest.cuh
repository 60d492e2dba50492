#pragma once

#include <cstddef>

namespace bankfull {

namespace detail {

/// The bits of a number that is not negative: they compare as the numbers do.
using OrderedBits = unsigned long long;

/// The largest of a warp, all of whose threads call it, in each of them.
__device__ __forceinline__ OrderedBits largest_of_warp(OrderedBits bits) {
  const auto high = static_cast<unsigned>(bits >> 32);
  const unsigned high_of_warp = __reduce_max_sync(~0U, high);
  const unsigned low = high == high_of_warp ? static_cast<unsigned>(bits) : 0U;
  return OrderedBits{high_of_warp} << 32 | __reduce_max_sync(~0U, low);
}

}  // namespace detail

/// Raises each `*largest`, which is not negative, to the largest |value| of a block of whole warps;
/// NaN counts as larger than all numbers. All threads of the block call it, once per kernel. The
/// order of blocks does not matter.
template <std::size_t Count>
__device__ __forceinline__ void raise_to_largest(double* const (&largest)[Count],
                                                 const double (&values)[Count]) {
  using detail::OrderedBits;
  constexpr unsigned warp = 32;
  __shared__ OrderedBits of_warps[Count][1024 / warp];
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned warps = blockDim.x * blockDim.y * blockDim.z / warp;
#pragma unroll
  for (std::size_t n = 0; n < Count; ++n) {
    const auto bits = static_cast<OrderedBits>(__double_as_longlong(fabs(values[n])));
    const OrderedBits of_warp = detail::largest_of_warp(bits);
    if (thread % warp == 0) {
      of_warps[n][thread / warp] = of_warp;
    }
  }
  __syncthreads();
  if (thread >= warp) {
    return;
  }
#pragma unroll
  for (std::size_t n = 0; n < Count; ++n) {
    const OrderedBits of_block = detail::largest_of_warp(thread < warps ? of_warps[n][thread] : 0);
    if (thread == 0) {
      // No thread waits for the result; checking first whether it is needed would mean waiting.
      atomicMax(reinterpret_cast<OrderedBits*>(largest[n]), of_block);
    }
  }
}

/// The same of one number.
__device__ __forceinline__ void raise_to_largest(double* largest, double value) {
  raise_to_largest<1>({largest}, {value});
}

}  // namespace bankfull
