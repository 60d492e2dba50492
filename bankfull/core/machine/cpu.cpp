#include "bankfull/core/machine/cpu.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/vector_units.hpp"

#include <array>
#include <fstream>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace bankfull {
namespace {

/// Value of the first line "key<separator>value" of a file, without quotes; empty if none.
std::string value_in_file(const std::string& path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t split = line.find(separator);
    if (!line.starts_with(key) || split == std::string::npos) {
      continue;
    }
    const std::size_t begin = line.find_first_not_of(" \t\"", split + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? std::string{} : line.substr(begin, end - begin + 1);
  }
  return {};
}

int usable_hardware_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) {
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  }
  return CPU_COUNT(&set);
}

void describe_topology_by_sysconf(CpuInfo& cpu) {
  constexpr std::array names{_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  for (std::size_t n = 0; n < names.size(); ++n) {
    const long bytes = sysconf(names[n]);
    if (bytes > 0) {
      cpu.data_caches.push_back(
          {.level = static_cast<int>(n) + 1, .bytes = bytes, .shared_by_cores = 1, .count = 1});
    }
  }
  cpu.cores = cpu.hardware_threads;
}

CpuInfo survey() {
  CpuInfo cpu;
  utsname system{};
  uname(&system);
  cpu.architecture = system.machine;
  cpu.host_name = system.nodename;
  cpu.model = value_in_file("/proc/cpuinfo", "model name", ':');
  cpu.operating_system = value_in_file("/etc/os-release", "PRETTY_NAME", '=') + ", " +
                         system.sysname + " " + system.release;
  cpu.vector_units = compiled_vector_units;
  cpu.hardware_threads = usable_hardware_threads();
  cpu.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if constexpr (build::hwloc) {
    detail::describe_topology_by_hwloc(cpu);
  } else {
    describe_topology_by_sysconf(cpu);
  }
  return cpu;
}

}  // namespace

namespace detail {

void share_last_cache_within_sockets(CpuInfo& cpu) {
  for (CacheLevel& cache : cpu.data_caches) {
    if (cache.level == 3 && cache.count > cpu.sockets) {
      cache.count = cpu.sockets;
      cache.shared_by_cores = cpu.cores / cpu.sockets;
    }
  }
}

}  // namespace detail

const CpuInfo& survey_cpu() {
  static const CpuInfo found = survey();
  return found;
}

std::int64_t last_level_cache_bytes() {
  std::int64_t largest = 0;
  for (const CacheLevel& cache : survey_cpu().data_caches) {
    const std::int64_t all = cache.bytes * cache.count;
    largest = all > largest ? all : largest;
  }
  return largest;
}

std::int64_t second_level_cache_of_core() {
  for (const CacheLevel& cache : survey_cpu().data_caches) {
    if (cache.level == 2) {
      return cache.bytes / cache.shared_by_cores;
    }
  }
  return 0;
}

}  // namespace bankfull
