#pragma once

#include "bankfull/core/machine/device.hpp"

namespace bankfull {

// In one process, between its GPUs. Exist in builds with CUDA only.

/// Whether kernels of the GPU `from` can be allowed to use the memory of `to`, another one.
bool can_access_peer(Device from, Device to);

/// Allows it until the process ends; copies between the two then take the direct way. Requires
/// `can_access_peer`.
void allow_peer_access(Device from, Device to);

}  // namespace bankfull
