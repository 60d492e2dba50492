#pragma once

#include <cuda_runtime_api.h>

namespace bankfull {

/// Throws RuntimeFailure with CUDA's own name and text for `status` unless it is success.
void cuda_check(cudaError_t status, const char* while_doing);

}  // namespace bankfull
