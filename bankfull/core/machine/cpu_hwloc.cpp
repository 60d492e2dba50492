#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/numa.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <hwloc.h>
#include <memory>
#include <utility>
#include <vector>

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

/// The topology, read once: it takes milliseconds.
hwloc_topology_t known_topology() {
  static const auto topology = load_topology();
  return topology.get();
}

struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Bitmap only(int number) {
  Bitmap bitmap(hwloc_bitmap_alloc());
  hwloc_bitmap_only(bitmap.get(), static_cast<unsigned>(number));
  return bitmap;
}

/// The first usable processor of each core within a set of them.
std::vector<int> first_of_each_core(hwloc_const_cpuset_t within, const std::vector<int>& usable) {
  std::vector<int> processors;
  std::vector<hwloc_obj_t> cores;
  for (const int processor : usable) {
    if (hwloc_bitmap_isset(within, static_cast<unsigned>(processor)) == 0) {
      continue;
    }
    hwloc_obj_t unit =
        hwloc_get_pu_obj_by_os_index(known_topology(), static_cast<unsigned>(processor));
    hwloc_obj_t core = unit == nullptr
                           ? nullptr
                           : hwloc_get_ancestor_obj_by_type(known_topology(), HWLOC_OBJ_CORE, unit);
    if (core == nullptr || std::ranges::find(cores, core) == cores.end()) {
      cores.push_back(core);
      processors.push_back(processor);
    }
  }
  return processors;
}

}  // namespace

std::vector<NumaNode> numa_nodes_by_hwloc(const std::vector<int>& usable) {
  std::vector<NumaNode> nodes;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(known_topology(), HWLOC_OBJ_NUMANODE, node)) !=
         nullptr) {
    NumaNode found{.number = static_cast<int>(node->os_index),
                   .processors = first_of_each_core(node->cpuset, usable)};
    if (!found.processors.empty()) {
      nodes.push_back(std::move(found));
    }
  }
  std::ranges::sort(nodes, {}, &NumaNode::number);
  return nodes;
}

std::vector<int> processors_of_cores_by_hwloc(const std::vector<int>& usable) {
  return first_of_each_core(hwloc_topology_get_topology_cpuset(known_topology()), usable);
}

bool bind_to_node_by_hwloc(const Memory& memory, int node) {
  return hwloc_set_area_membind(known_topology(), memory.data(), memory.bytes(), only(node).get(),
                                HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET) == 0;
}

bool lies_on_node_by_hwloc(const Memory& memory, int node) {
  const Bitmap found(hwloc_bitmap_alloc());
  return hwloc_get_area_memlocation(known_topology(), memory.data(), memory.bytes(), found.get(),
                                    HWLOC_MEMBIND_BYNODESET) == 0 &&
         hwloc_bitmap_isequal(found.get(), only(node).get()) != 0;
}

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
