#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <vector>

namespace bankfull {

/// How the host is set up, as far as it matters to the speed of memory and a run does not change
/// it: governors and bounds of the processors' frequencies, turbo, SMT, microcode, mitigations of
/// processor bugs, NUMA, huge pages, the cgroup and the memory modules. What cannot be read is
/// absent.
std::vector<Figure> host_settings(const SystemFiles& files);

}  // namespace bankfull
