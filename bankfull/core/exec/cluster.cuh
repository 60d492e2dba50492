#pragma once

#include "bankfull/core/base/gpu_arch.hpp"

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

/// Waits for all threads of the cluster; what they wrote before is visible after it.
__device__ __forceinline__ void cluster_barrier() {
  __syncwarp();  // the instructions are those of whole warps
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// The address, valid in the whole cluster, of what lies in block `rank` where `address` lies in
/// the calling one.
__device__ __forceinline__ unsigned address_in_block(unsigned address, unsigned rank) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

/// Loads from such an address. Never removed, never moved past each other.
__device__ __forceinline__ uint4 load_vector_in_cluster(unsigned address) {
  uint4 words;
  asm volatile("ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "r"(address));
  return words;
}
__device__ __forceinline__ unsigned load_word_in_cluster(unsigned address) {
  unsigned word;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(address));
  return word;
}

}  // namespace bankfull
