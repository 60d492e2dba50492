#pragma once

#include "bankfull/core/exec/vector16.cuh"

namespace bankfull {

/// Asks for 16 bytes, past L1, that arrive in shared memory while the thread continues.
__device__ __forceinline__ void begin_copy16(void* to_shared, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
               "l"(from)
               : "memory");
}

/// Waits for all that this thread has asked for.
__device__ __forceinline__ void finish_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace bankfull
