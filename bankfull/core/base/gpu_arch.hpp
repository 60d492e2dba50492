#pragma once

namespace bankfull {

/// Ten times the compute capability that the device compiler is producing code for: 80, 90. 0 in
/// code for the host. Kernels test it with `if constexpr`; for what a program can do on the current
/// GPU see `compiled_capability_of` in core/exec/launch.cuh.
#if defined(__CUDA_ARCH__)
inline constexpr int compiled_capability = __CUDA_ARCH__ / 10;
#else
inline constexpr int compiled_capability = 0;
#endif

/// Whether the code is for sm_90a, whose special instructions no other architecture has to have.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
inline constexpr bool compiled_for_sm_90a = true;
#else
inline constexpr bool compiled_for_sm_90a = false;
#endif

/// The first compute capability, times ten, with bulk tensor copies; see core/exec/bulk_copy.cuh.
inline constexpr int bulk_copy_capability = 90;

/// Likewise with clusters of blocks that read each other's shared memory; see
/// core/exec/cluster.cuh.
inline constexpr int cluster_capability = 90;

}  // namespace bankfull
