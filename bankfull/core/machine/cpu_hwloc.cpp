#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/cpu.hpp"

#include <array>
#include <filesystem>
#include <hwloc.h>
#include <memory>

namespace bankfull::detail {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const noexcept { hwloc_topology_destroy(topology); }
};

std::unique_ptr<hwloc_topology, DestroyTopology> load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    throw RuntimeFailure("hwloc could not start");
  }
  std::unique_ptr<hwloc_topology, DestroyTopology> topology(raw);
  if (hwloc_topology_load(raw) != 0) {
    throw RuntimeFailure("hwloc could not read this machine's topology");
  }
  return topology;
}

int count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? count : 1;
}

int cores_within(hwloc_topology_t topology, hwloc_obj_t object) {
  const int cores =
      hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_CORE);
  return cores > 0 ? cores : 1;
}

}  // namespace

void describe_topology_by_hwloc(CpuInfo& cpu) {
  const auto owned = load_topology();
  hwloc_topology_t topology = owned.get();
  cpu.sockets = count_of(topology, HWLOC_OBJ_PACKAGE);
  cpu.cores = count_of(topology, HWLOC_OBJ_CORE);
  cpu.numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
  constexpr std::array levels{HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                              HWLOC_OBJ_L4CACHE};
  for (const hwloc_obj_type_t type : levels) {
    hwloc_obj_t cache = hwloc_get_next_obj_by_type(topology, type, nullptr);
    if (cache == nullptr) {
      continue;
    }
    cpu.data_caches.push_back({
        .level = static_cast<int>(cache->attr->cache.depth),
        .bytes = static_cast<std::int64_t>(cache->attr->cache.size),
        .shared_by_cores = cores_within(topology, cache),
        .count = count_of(topology, type),
    });
  }
  if (!std::filesystem::exists("/sys/devices/system/cpu/cpu0/cache")) {
    share_last_cache_within_sockets(cpu);
  }
}

}  // namespace bankfull::detail
