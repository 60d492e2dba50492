#pragma once

#include <cstdint>

namespace bankfull {

/// L2 eviction policy of reads.
struct CachePolicy {
  std::uint64_t bits;  ///< as createpolicy encodes it

  /// For data not read again soon: evicted first.
  __device__ __forceinline__ static CachePolicy once() {
    std::uint64_t bits;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(bits));
    return {bits};
  }

  /// For data read again: evicted last.
  __device__ __forceinline__ static CachePolicy keep() {
    std::uint64_t bits;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(bits));
    return {bits};
  }
};

/// Prefetches the line at an address of GPU memory; the thread does not wait.
__device__ __forceinline__ void prefetch_to_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// A predicated read, bypassing L1, of data that is not written during the kernel, `Offset`
/// elements after `at`; `to` is unchanged if the predicate is false.
template <int Offset>
__device__ __forceinline__ void load_by(CachePolicy policy, bool wanted, double& to,
                                        const double* at) {
  asm volatile(
      "{.reg .pred p; setp.ne.s32 p, %2, 0; "
      "@p ld.global.nc.L1::no_allocate.L2::cache_hint.f64 %0, [%1 + %4], %3;}"
      : "+d"(to)
      : "l"(at), "r"(static_cast<int>(wanted)), "l"(policy.bits),
        "n"(Offset * static_cast<int>(sizeof(double))));
}
/// The same for 16-bit integers.
template <int Offset>
__device__ __forceinline__ void load_by(CachePolicy policy, bool wanted, std::uint16_t& to,
                                        const std::uint16_t* at) {
  asm volatile(
      "{.reg .pred p; setp.ne.s32 p, %2, 0; "
      "@p ld.global.nc.L1::no_allocate.L2::cache_hint.u16 %0, [%1 + %4], %3;}"
      : "+h"(to)
      : "l"(at), "r"(static_cast<int>(wanted)), "l"(policy.bits),
        "n"(Offset * static_cast<int>(sizeof(std::uint16_t))));
}

}  // namespace bankfull
