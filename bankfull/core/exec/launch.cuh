#pragma once

#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/exec/stream.hpp"

#include <cstddef>
#include <cuda_runtime.h>
#include <source_location>

namespace bankfull {

/// Shape of a kernel launch.
struct LaunchShape {
  dim3 grid;                     ///< blocks
  dim3 block;                    ///< threads of a block
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of a block
  unsigned cluster_blocks = 0;   ///< blocks of a cluster along x; 0: no clusters. See cluster.cuh
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
std::size_t max_shared_bytes(Device gpu, void (*kernel)(Parameters...)) {
  int most = 0;
  cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu.index),
             "reading a GPU's shared memory");
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, kernel), "reading a kernel's attributes");
  constexpr std::size_t alignment = 128;  // of the dynamic part, which follows the static one
  const std::size_t taken = (attributes.sharedSizeBytes + alignment - 1) / alignment * alignment;
  return static_cast<std::size_t>(most) - taken;
}

/// Number of multiprocessors of a GPU. Throws RuntimeFailure if the driver does not tell.
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

/// The stream that a kernel is launched on, and the line that launches it. Made from a Stream where
/// one is passed.
struct LaunchSite {
  /// Refers to `on`, which must outlive it; `launched_at` is the line of the caller.
  LaunchSite(const Stream& on, std::source_location launched_at = std::source_location::current())
      : stream(&on), where(launched_at) {}

  const Stream* stream;        ///< never null
  std::source_location where;  ///< what messages about the launch name
};

/// Whether the blocks of a launch may wait for each other.
enum class BlocksRun { in_any_order, all_at_once };

namespace detail {

/// Throws RuntimeFailure, which names the kernel, its shape, and the line that launched it, unless
/// `status` is success.
void check_launch(cudaError_t status, const void* kernel, const LaunchShape& shape,
                  const std::source_location& where);

inline cudaLaunchAttribute cluster_attribute(unsigned blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  return attribute;
}

/// Queues a kernel: every launch of the program comes through here.
template <class... Parameters, class... Arguments>
void launch(const LaunchSite& site, const LaunchShape& shape, BlocksRun run,
            void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = site.stream->handle();
  config.attrs = attributes;
  if (run == BlocksRun::all_at_once) {
    cudaLaunchAttribute& together = attributes[config.numAttrs++];
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
  }
  if (shape.cluster_blocks > 0) {
    attributes[config.numAttrs++] = cluster_attribute(shape.cluster_blocks);
  }
  check_launch(cudaLaunchKernelEx(&config, kernel, arguments...),
               reinterpret_cast<const void*>(kernel), shape, site.where);
}

}  // namespace detail

/// Lets a kernel run in clusters of more than the 8 blocks that every GPU with clusters allows.
template <class... Parameters>
void allow_large_clusters(void (*kernel)(Parameters...)) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
             "allowing a kernel large clusters");
}

/// Clusters of a launch of this shape that the current GPU can run at the same time; 0 where it can
/// run none. The grid only has to be a multiple of the cluster.
template <class... Parameters>
int max_active_clusters(void (*kernel)(Parameters...), const LaunchShape& shape) {
  cudaLaunchAttribute cluster = detail::cluster_attribute(shape.cluster_blocks);
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // an impossible cluster is an answer, not a failure
    return 0;
  }
  return clusters;
}

/// Blocks of a launch that one multiprocessor of the current GPU can hold at the same time.
template <class... Parameters>
int max_resident_blocks(void (*kernel)(Parameters...), int threads, std::size_t shared_bytes = 0) {
  int blocks = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
             "asking how many blocks a multiprocessor holds");
  return blocks;
}

/// Queues a kernel on a stream. Throws RuntimeFailure where the driver refuses it.
template <class... Parameters, class... Arguments>
void launch(const LaunchSite& site, const LaunchShape& shape, void (*kernel)(Parameters...),
            Arguments... arguments) {
  detail::launch(site, shape, BlocksRun::in_any_order, kernel, arguments...);
}

/// Queues a kernel whose blocks wait for each other: all of them run at once, or the launch fails.
template <class... Parameters, class... Arguments>
void launch_together(const LaunchSite& site, const LaunchShape& shape,
                     void (*kernel)(Parameters...), Arguments... arguments) {
  detail::launch(site, shape, BlocksRun::all_at_once, kernel, arguments...);
}

}  // namespace bankfull
