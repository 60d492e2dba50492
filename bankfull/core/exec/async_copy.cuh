#pragma once

#include "bankfull/core/exec/vector16.cuh"

namespace bankfull {

/// Starts an asynchronous copy of 16 bytes to shared memory, bypassing L1; the thread continues.
__device__ __forceinline__ void begin_copy16(void* to_shared, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
               "l"(from)
               : "memory");
}

/// Waits for all copies that this thread has started.
__device__ __forceinline__ void finish_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace bankfull
