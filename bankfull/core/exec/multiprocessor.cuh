#pragma once

namespace bankfull {

/// The number of the multiprocessor that runs the calling block.
__device__ __forceinline__ unsigned multiprocessor_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

/// Bound of `multiprocessor_number`: more than any GPU has, because the numbers may have gaps.
inline constexpr int max_multiprocessors = 1024;

}  // namespace bankfull
