#include "bankfull/core/memory/capacity.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/memory/host_memory.hpp"

#include <string>

namespace bankfull {

std::int64_t free_bytes(Device device, int processes) {
  if (device.is_cuda()) {
    return gpu_free_bytes(device.index);
  }
  const HostMemory host;
  const std::int64_t available = host.available();
  const std::int64_t each = host.left_to_process();
  return each < available / processes ? each * processes : available;
}

void require_capacity(Device device, std::int64_t needed_bytes, const std::string& what,
                      const std::string& remedy, int processes) {
  const std::int64_t available = free_bytes(device, processes);
  if (needed_bytes > available) {
    throw UsageError(what + " needs " + format_bytes(static_cast<double>(needed_bytes)) + ", " +
                         to_string(device) + " has " +
                         format_bytes(static_cast<double>(available)) + " free",
                     remedy);
  }
}

}  // namespace bankfull
