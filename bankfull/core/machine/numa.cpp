#include "bankfull/core/machine/numa.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/machine/processors.hpp"

namespace bankfull {

std::vector<NumaNode> survey_numa_nodes() {
  if constexpr (build::hwloc) {
    return detail::numa_nodes_by_hwloc(process_processors());
  }
  return {};
}

std::vector<int> processors_of_cores() {
  if constexpr (build::hwloc) {
    return detail::processors_of_cores_by_hwloc(process_processors());
  }
  return process_processors();
}

bool bind_to_node([[maybe_unused]] const Memory& memory, [[maybe_unused]] int node) {
  if constexpr (build::hwloc) {
    return detail::bind_to_node_by_hwloc(memory, node);
  }
  return false;
}

bool lies_on_node([[maybe_unused]] const Memory& memory, [[maybe_unused]] int node) {
  if constexpr (build::hwloc) {
    return detail::lies_on_node_by_hwloc(memory, node);
  }
  return false;
}

}  // namespace bankfull
