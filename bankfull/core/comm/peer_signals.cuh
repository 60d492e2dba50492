#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"

#include <cstddef>
#include <cuda_runtime.h>

namespace bankfull {

// Signalling by kernels that transfer messages between GPUs themselves; see GpuMessageEnds.

/// Whether this is the last block; everything that all blocks wrote is then visible to it. `ticket`
/// counts the blocks that are done and is 0 between launches.
__device__ __forceinline__ bool is_last_block(unsigned* ticket) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    const unsigned blocks = gridDim.x * gridDim.y;
    last = atomicAdd(ticket, 1U) == blocks - 1;
    if (last) {
      *ticket = 0;
      __threadfence_system();
    }
  }
  __syncthreads();
  return last;
}

/// A thread that reads `value` also sees what this thread wrote before, and what its block wrote
/// before the last __syncthreads().
__device__ __forceinline__ void raise(unsigned* counter, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

/// Counters wrap around.
__device__ __forceinline__ void wait_until(const unsigned* counter, unsigned value) {
  unsigned seen;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
  } while (static_cast<int>(seen - value) < 0);
}

/// The number of this exchange; `counter` is null for transports without slots.
__device__ __forceinline__ unsigned epoch_of(const unsigned* counter) {
  return counter != nullptr ? *counter : 0U;
}

/// Where an exchange's message is written.
template <class T>
__device__ __forceinline__ T* outgoing_message(const GpuMessageEnds& ends, unsigned epoch) {
  const auto slot = static_cast<std::ptrdiff_t>(epoch & 1U);
  return reinterpret_cast<T*>(ends.outgoing + slot * ends.outgoing_slot);
}

/// Where an exchange's message arrives. Read it bypassing L1, which is not coherent with writes of
/// other devices.
template <class T>
__device__ __forceinline__ const T* incoming_message(const GpuMessageEnds& ends, unsigned epoch) {
  const auto slot = static_cast<std::ptrdiff_t>(epoch & 1U);
  return reinterpret_cast<const T*>(ends.incoming + slot * ends.incoming_slot);
}

}  // namespace bankfull
