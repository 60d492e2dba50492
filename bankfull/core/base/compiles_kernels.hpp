#pragma once

namespace bankfull {

/// Whether this source is compiled by nvcc, so that its loops can run on GPUs as well. Of each
/// source its own: not `inline`.
#if defined(__CUDACC__)
constexpr bool compiles_kernels = true;
#else
constexpr bool compiles_kernels = false;
#endif

}  // namespace bankfull
