#include "bankfull/core/memory/capacity.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <unistd.h>

namespace bankfull {
namespace {

std::optional<std::int64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) {
    return number;
  }
  return std::nullopt;  // no such file, or "max"
}

std::int64_t available_by_kernel() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::int64_t kib = 0;
  std::string unit;
  while (meminfo >> key >> kib) {
    std::getline(meminfo, unit);
    if (key == "MemAvailable:") {
      return kib * 1024;
    }
  }
  return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::int64_t available_in_control_group() {
  const auto limit = read_number("/sys/fs/cgroup/memory.max");
  const auto used = read_number("/sys/fs/cgroup/memory.current");
  if (!limit || !used) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return std::max<std::int64_t>(0, *limit - *used);
}

}  // namespace

std::int64_t free_bytes(Device device) {
  if (device.is_cuda()) {
    return gpu_free_bytes(device.index);
  }
  return std::min(available_by_kernel(), available_in_control_group());
}

void require_capacity(Device device, std::int64_t needed_bytes, const std::string& what,
                      const std::string& remedy) {
  const std::int64_t available = free_bytes(device);
  if (needed_bytes > available) {
    throw UsageError(what + " needs " + format_bytes(static_cast<double>(needed_bytes)) + ", " +
                         to_string(device) + " has " +
                         format_bytes(static_cast<double>(available)) + " free",
                     remedy);
  }
}

}  // namespace bankfull
