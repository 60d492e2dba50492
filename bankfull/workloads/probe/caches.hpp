#pragma once

#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/device.hpp"

#include <vector>

namespace bankfull::probe {

/// The data caches as one thread sees them: the bytes of one cache of each level.
std::vector<CacheLevel> caches_of_one_thread(Device device);

/// The data caches as a team or a whole GPU sees them: the bytes of all caches of each level that
/// it can fill.
std::vector<CacheLevel> caches_of_all(Device device, int threads);

}  // namespace bankfull::probe
