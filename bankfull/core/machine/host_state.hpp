#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/machine/system_files.hpp"
#include "bankfull/core/machine/throttling.hpp"

#include <vector>

namespace bankfull {

/// The host now: load, memory, huge pages, and frequencies and temperatures of its processors. What
/// cannot be read is absent; a frequency is of at most 16 processors, because the kernel
/// interrupts each to read it.
std::vector<Figure> host_state(const SystemFiles& files);

/// The memory that this process has to itself, and what share of it the system put in huge pages.
/// The system walks all of it for that: tenths of a second where there are many small pages.
std::vector<Figure> process_memory(const SystemFiles& files);

/// Counters since boot: errors of the memory, and processor time that the hypervisor withheld and
/// that all processes used.
std::vector<Figure> host_counts(const SystemFiles& files);

/// For how long the hottest socket throttled itself, where Linux counts that (Intel).
ThrottleSeconds host_throttle_seconds(const SystemFiles& files);

}  // namespace bankfull
