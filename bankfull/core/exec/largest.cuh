#pragma once

namespace bankfull {

/// Raises `*largest`, which is not negative, to the largest |value| of a warp; NaN counts as larger
/// than all numbers. All threads of the warp call it. The order of warps does not matter.
__device__ __forceinline__ void raise_to_largest(double* largest, double value) {
  using Bits = unsigned long long;  // those of numbers that are not negative order as they do
  const auto bits = static_cast<Bits>(__double_as_longlong(fabs(value)));
  const auto high = static_cast<unsigned>(bits >> 32);
  const unsigned high_of_warp = __reduce_max_sync(~0U, high);
  const unsigned low = high == high_of_warp ? static_cast<unsigned>(bits) : 0U;
  const unsigned low_of_warp = __reduce_max_sync(~0U, low);
  auto* const slot = reinterpret_cast<Bits*>(largest);
  const Bits of_warp = Bits{high_of_warp} << 32 | low_of_warp;
  // Most warps have nothing to add: a load is cheaper than an atomic operation.
  if (threadIdx.x % 32 == 0 && of_warp > *static_cast<volatile Bits*>(slot)) {
    atomicMax(slot, of_warp);
  }
}

}  // namespace bankfull
