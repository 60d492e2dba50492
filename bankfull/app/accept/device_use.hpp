#pragma once

#include "bankfull/core/machine/device.hpp"

namespace bankfull::accept {

/// Part of the last second, or less, in which a process kept the GPU busy, by its driver: 0 to 1.
/// 0 where that is not known, and of processors, whose runs tell other load themselves. Before the
/// first run of this process on the device, all of it is others'.
double use_of(Device device);

}  // namespace bankfull::accept
