#pragma once

namespace bankfull {

/// The GPU's clock, the same for all of its kernels. It may advance by a microsecond at a time.
__device__ __forceinline__ unsigned long long nanoseconds_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace bankfull
