#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/memory/memory.hpp"

#include <cuda_runtime.h>

namespace bankfull::detail {

void* allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  cuda_check(cudaMallocHost(&data, bytes), "allocating pinned memory");
  return data;
}

void* allocate_device(std::size_t bytes) {
  void* data = nullptr;
  cuda_check(cudaMalloc(&data, bytes), "allocating GPU memory");
  return data;
}

// A failure to release can only follow an earlier error, which has been reported.
void release_pinned(void* data) noexcept { static_cast<void>(cudaFreeHost(data)); }
void release_device(void* data) noexcept { static_cast<void>(cudaFree(data)); }

}  // namespace bankfull::detail
