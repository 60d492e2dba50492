#pragma once

#include "bankfull/core/base/gpu_arch.hpp"
#include "bankfull/core/exec/bulk_copy.cuh"

#include <bit>
#include <cstdint>

namespace bankfull {

// Clusters: blocks of one launch (LaunchShape::cluster_blocks) that run at the same time on
// neighbouring multiprocessors and can read each other's shared memory. Call these only in code
// that `compiled_capability >= cluster_capability` guards. PTX ISA, "Cooperative thread arrays".

/// The calling block's number within its cluster.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Blocks of the cluster.
__device__ __forceinline__ unsigned cluster_size() {
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

/// First half of a barrier of all threads of the cluster: does not wait. What threads wrote before
/// they arrived is visible to all after `cluster_wait`.
__device__ __forceinline__ void cluster_arrive() {
  __syncwarp();  // the instructions are those of whole warps
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
/// Second half of the barrier: waits until all threads of the cluster have arrived.
__device__ __forceinline__ void cluster_wait() {
  __syncwarp();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Waits for all threads of the cluster.
__device__ __forceinline__ void cluster_barrier() {
  cluster_arrive();
  cluster_wait();
}

/// The address, valid in the whole cluster, of what lies in block `rank` where `address` lies in
/// the calling one.
__device__ __forceinline__ unsigned address_in_block(unsigned address, unsigned rank) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

/// Loads 16 bytes from such an address. Such loads are never removed nor moved past each other.
__device__ __forceinline__ uint4 load_vector_in_cluster(unsigned address) {
  uint4 words;
  asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "r"(address));
  return words;
}
/// Loads 4 bytes from such an address.
__device__ __forceinline__ unsigned load_word_in_cluster(unsigned address) {
  unsigned word;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(address));
  return word;
}

/// Stores 4 or 8 bytes at such an address.
template <class Value>
__device__ __forceinline__ void store_in_cluster(unsigned address, const Value& value) {
  static_assert(sizeof(Value) == 4 || sizeof(Value) == 8);
  if constexpr (sizeof(Value) == 4) {
    asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(address),
                 "r"(std::bit_cast<std::uint32_t>(value))
                 : "memory");
  } else {
    asm volatile("st.shared::cluster.b64 [%0], %1;" ::"r"(address),
                 "l"(std::bit_cast<std::uint64_t>(value))
                 : "memory");
  }
}

/// Stores 4, 8 or 16 bytes at such an address, some time later: `barrier`, in the same block's
/// memory, counts the bytes, and `wait_for_cluster` waits for them.
template <class Value>
__device__ __forceinline__ void store_counted(unsigned address, const Value& value,
                                              const CopyBarrier& barrier) {
  static_assert(sizeof(Value) == 4 || sizeof(Value) == 8 || sizeof(Value) == 16);
  if constexpr (sizeof(Value) == 4) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(address),
        "r"(std::bit_cast<std::uint32_t>(value)), "r"(barrier.address)
        : "memory");
  } else if constexpr (sizeof(Value) == 8) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(address),
        "l"(std::bit_cast<std::uint64_t>(value)), "r"(barrier.address)
        : "memory");
  } else {
    const auto words = std::bit_cast<ulonglong2>(value);
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(
            address),
        "l"(words.x), "l"(words.y), "r"(barrier.address)
        : "memory");
  }
}

}  // namespace bankfull
