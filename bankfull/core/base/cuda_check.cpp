#include "bankfull/core/base/cuda_check.hpp"

#include "bankfull/core/base/error.hpp"

#include <string>

namespace bankfull {

void cuda_check(cudaError_t status, const char* while_doing) {
  if (status != cudaSuccess) {
    throw RuntimeFailure(std::string("CUDA failed while ") + while_doing + ": " +
                         cudaGetErrorName(status) + " (" + cudaGetErrorString(status) + ")");
  }
}

}  // namespace bankfull
