#pragma once

#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/exec/stream.hpp"

#include <cuda_runtime.h>

namespace bankfull {

/// Shape of a kernel launch.
struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
};

/// Lets a kernel use up to `bytes` of dynamic shared memory, more than the default 48 KiB. Holds
/// for all launches of the kernel in this process: always pass the most that any of them needs.
template <class... Parameters>
void allow_shared_bytes(void (*kernel)(Parameters...), std::size_t bytes) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)),
             "raising a kernel's shared memory");
}

/// Dynamic shared memory that a block of this kernel can have on the GPU, after
/// `allow_shared_bytes`.
template <class... Parameters>
std::size_t most_shared_bytes(Device gpu, void (*kernel)(Parameters...)) {
  int most = 0;
  cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu.index),
             "reading a GPU's shared memory");
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "reading a kernel's attributes");
  constexpr std::size_t alignment = 128;  // of the dynamic part, which follows the static one
  const std::size_t taken = (attributes.sharedSizeBytes + alignment - 1) / alignment * alignment;
  return static_cast<std::size_t>(most) - taken;
}

inline int multiprocessors_of(Device gpu) {
  int count = 0;
  cuda_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, gpu.index),
             "counting a GPU's multiprocessors");
  return count;
}

/// Ten times the compute capability that the code of this kernel for the current GPU was compiled
/// for. It is lower than the GPU's where the driver translates code for an older one.
template <class... Parameters>
int compiled_capability_of(void (*kernel)(Parameters...)) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "reading a kernel's attributes");
  return attributes.ptxVersion;
}

/// Queues a kernel on a stream and reports a launch that the driver refuses.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, const LaunchShape& shape, void (*kernel)(Parameters...),
            Arguments... arguments) {
  kernel<<<shape.grid, shape.block, shape.shared_bytes, stream.handle()>>>(arguments...);
  cuda_check(cudaGetLastError(), "launching a kernel");
}

/// Queues a kernel whose blocks wait for each other: all of them run at once, or the launch fails.
template <class... Parameters, class... Arguments>
void launch_together(const Stream& stream, const LaunchShape& shape, void (*kernel)(Parameters...),
                     Arguments... arguments) {
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream.handle();
  config.attrs = &together;
  config.numAttrs = 1;
  cuda_check(cudaLaunchKernelEx(&config, kernel, arguments...),
             "launching a kernel's blocks at once");
}

}  // namespace bankfull
