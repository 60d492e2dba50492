#pragma once

#include "bankfull/core/exec/graph.hpp"

#include <cuda_runtime.h>

namespace bankfull {

/// Sets whether the loop runs (once more). To be called by only one of all threads that run at the
/// time.
__device__ __forceinline__ void set_condition(LoopCondition loop, bool goes_on) {
  cudaGraphSetConditional(loop.handle, goes_on ? 1U : 0U);
}

}  // namespace bankfull
