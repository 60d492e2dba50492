#pragma once

#include "bankfull/core/exec/graph.hpp"

#include <cuda_runtime.h>

namespace bankfull {

/// Says whether the loop goes round (once more). By one thread of all that may run at the time.
__device__ __forceinline__ void set_condition(LoopCondition loop, bool goes_on) {
  cudaGraphSetConditional(loop.handle, goes_on ? 1U : 0U);
}

}  // namespace bankfull
