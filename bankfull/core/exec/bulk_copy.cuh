#pragma once

#include "bankfull/core/base/gpu_arch.hpp"
#include "bankfull/core/exec/vector16.cuh"

#include <cstdint>
#include <cuda.h>

namespace bankfull {

// The copy engine of compute capability 9.0: one thread requests a whole box of a tensor, which
// arrives in shared memory while the block computes. Call these only in code that
// `compiled_capability >= bulk_copy_capability` guards.

/// An mbarrier, 8 bytes of shared memory, that completes a phase when the expected bytes have
/// arrived. Phases have parities 0, 1, 0, ...
struct CopyBarrier {
  static constexpr int bytes = 8;  ///< size of an mbarrier

  std::uint32_t address;  ///< in shared memory

  /// Each phase waits for so many arrivals, of which `expect` is one.
  __device__ __forceinline__ void initialise(unsigned arrivals = 1) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(arrivals)
                 : "memory");
  }

  /// One arrival that adds no bytes to those expected.
  __device__ __forceinline__ void arrive() const {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address) : "memory");
  }

  /// Begins a phase in which `count` bytes are expected.
  __device__ __forceinline__ void expect(std::uint32_t count) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(count)
                 : "memory");
  }

  /// Waits until the phase of this parity is over.
  __device__ __forceinline__ void wait(std::uint32_t parity) const {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(address),
        "r"(parity)
        : "memory");
  }

  /// The same for what other blocks of the cluster store; see store_counted in cluster.cuh.
  __device__ __forceinline__ void wait_for_cluster(std::uint32_t parity) const {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(address),
        "r"(parity)
        : "memory");
  }
};

/// Makes the barriers that this thread has initialised visible to the copy engine and, with a
/// barrier of the cluster after it, to the cluster.
__device__ __forceinline__ void publish_copy_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
}

/// Requests consecutive bytes that are read once: they are the first to be evicted from the cache.
/// Addresses and `bytes` are multiples of 16.
__device__ __forceinline__ void copy_once(std::uint32_t to, const void* from, unsigned bytes,
                                          const CopyBarrier& barrier) {
  if (bytes == 0) {
    return;
  }
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier.address), "l"(policy)
      : "memory");
}

/// Requests consecutive bytes. Addresses and `bytes` are multiples of 16.
__device__ __forceinline__ void copy_bulk(std::uint32_t to, const void* from, unsigned bytes,
                                          const CopyBarrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier.address)
      : "memory");
}

/// Prefetches consecutive bytes into the cache, without waiting. Addresses and `bytes` are
/// multiples of 16.
__device__ __forceinline__ void prefetch_bulk(const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

/// Coordinates of a box's first element, the contiguous one first.
struct BoxCorner {
  int k;      ///< along the contiguous dimension
  int j;      ///< along the second
  int i;      ///< along the third
  int field;  ///< along the slowest, which numbers the fields of a tensor
};

/// Requests one box of the tensor; `to` is a multiple of 128 bytes in shared memory. Elements
/// outside the tensor arrive as zeros and count as bytes.
__device__ __forceinline__ void copy_box(const void* to, const CUtensorMap* tensor,
                                         const BoxCorner& at, const CopyBarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2,%3,%4,%5}], [%6];" ::"r"(shared_address(to)),
      "l"(tensor), "r"(at.k), "r"(at.j), "r"(at.i), "r"(at.field), "r"(barrier.address)
      : "memory");
}

}  // namespace bankfull
