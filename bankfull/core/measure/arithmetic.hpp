#pragma once

#include "bankfull/core/machine/device.hpp"

namespace bankfull {

/// The fp64 fused multiply-adds per second that a GPU sustains: the best of a few runs, of some
/// milliseconds each, of a kernel that does nothing else. Exists in builds with
/// CUDA only.
double measure_fp64_rate(Device gpu);

}  // namespace bankfull
