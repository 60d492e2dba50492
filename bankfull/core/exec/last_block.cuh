#pragma once

namespace bankfull {

/// Whether all other blocks of the grid have arrived here before; the last one sees what they have
/// written to global memory. All threads of every block call it. `arrivals` is 0 when the kernel
/// starts, and again when it ends.
__device__ __forceinline__ bool is_last_block(unsigned* arrivals) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    __threadfence();
    last = atomicAdd(arrivals, 1U) + 1U == blocks;
    if (last) {
      *arrivals = 0;
      __threadfence();
    }
  }
  __syncthreads();
  return last;
}

}  // namespace bankfull
