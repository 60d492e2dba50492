#pragma once

#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <string>

namespace bankfull {

/// Bytes that can be allocated on the device now, queried anew: free GPU memory, whichever process
/// uses the rest, or the host's available memory within the limits of control groups and of so many
/// processes like this one, see HostMemory.
std::int64_t free_bytes(Device device, int processes = 1);

/// Throws UsageError where `needed_bytes` do not fit: "<what> needs 14.3 GiB, cuda:0 has 11.2 GiB
/// free; <remedy>". Call it before allocating.
void require_capacity(Device device, std::int64_t needed_bytes, const std::string& what,
                      const std::string& remedy, int processes = 1);

}  // namespace bankfull
