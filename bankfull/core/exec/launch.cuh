#pragma once

#include <cuda_runtime.h>

#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/exec/stream.hpp"

namespace bankfull {

/// Shape of a kernel launch.
struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
};

/// Lets a kernel use more dynamic shared memory than the default 48 KiB. Call once per kernel.
template <class... Parameters>
void allow_shared_bytes(void (*kernel)(Parameters...), std::size_t bytes) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "raising a kernel's shared memory");
}

/// Queues a kernel on a stream and reports a launch that the driver refuses.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, const LaunchShape& shape, void (*kernel)(Parameters...),
            Arguments... arguments) {
  kernel<<<shape.grid, shape.block, shape.shared_bytes, stream.handle()>>>(arguments...);
  cuda_check(cudaGetLastError(), "launching a kernel");
}

}  // namespace bankfull
