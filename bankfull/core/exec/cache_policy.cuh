#pragma once

#include <cstdint>

namespace bankfull {

/// How long L2 shall keep what is read.
struct CachePolicy {
  std::uint64_t bits;

  /// What is not read again soon: the first to leave.
  __device__ __forceinline__ static CachePolicy once() {
    std::uint64_t bits;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(bits));
    return {bits};
  }

  /// What is read again: the last to leave.
  __device__ __forceinline__ static CachePolicy keep() {
    std::uint64_t bits;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(bits));
    return {bits};
  }
};

// Reads past L1 of what nobody writes during the kernel.

__device__ __forceinline__ double load_by(CachePolicy policy, const double* at) {
  double value;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;"
               : "=d"(value)
               : "l"(at), "l"(policy.bits));
  return value;
}
__device__ __forceinline__ std::uint16_t load_by(CachePolicy policy, const std::uint16_t* at) {
  std::uint16_t value;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.u16 %0, [%1], %2;"
               : "=h"(value)
               : "l"(at), "l"(policy.bits));
  return value;
}

/// Brings a line as far as L2.
__device__ __forceinline__ void prefetch_line(const void* at) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

}  // namespace bankfull
