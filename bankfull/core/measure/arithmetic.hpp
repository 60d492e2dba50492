#pragma once

#include "bankfull/core/machine/device.hpp"

namespace bankfull {

/// Fused multiply-adds in fp64 that a GPU does a second where nothing else keeps it waiting: the
/// best of a few runs of a kernel that does nothing else, some milliseconds. Exists in builds with
/// CUDA only.
double measure_fp64_rate(Device gpu);

}  // namespace bankfull
