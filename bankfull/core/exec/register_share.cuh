#pragma once

#include "bankfull/core/base/gpu_arch.hpp"

namespace bankfull {

/// 32-bit registers of one multiprocessor, since compute capability 3.0.
inline constexpr int registers_of_multiprocessor = 65536;

// Registers are given to a block's warps in equal parts at its start. Where some warps only copy,
// the others may have more: all four warps of a warpgroup call one of these, and nothing may depend
// on which of them comes first. Only code for sm_90a has the instruction; in other code these do
// nothing.

/// Raises the registers per thread of this warpgroup, once others have left as many. `Count` is a
/// multiple of 8.
template <int Count>
__device__ __forceinline__ void take_registers() {
  if constexpr (compiled_for_sm_90a) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
  }
}

/// Lowers them.
template <int Count>
__device__ __forceinline__ void leave_registers() {
  if constexpr (compiled_for_sm_90a) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
  }
}

}  // namespace bankfull
