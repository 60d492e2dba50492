#include "bankfull/core/machine/numa.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/comm/rank_survey.hpp"

#include <cstdint>

namespace bankfull {
namespace {

std::vector<int> usable_numbers() {
  std::vector<int> numbers;
  for (const std::uint64_t processor : usable_processors()) {
    numbers.push_back(static_cast<int>(processor));
  }
  return numbers;
}

}  // namespace

std::vector<NumaNode> survey_numa_nodes() {
  if constexpr (build::hwloc) {
    return detail::numa_nodes_by_hwloc(usable_numbers());
  }
  return {};
}

std::vector<int> processors_of_cores() {
  if constexpr (build::hwloc) {
    return detail::processors_of_cores_by_hwloc(usable_numbers());
  }
  return usable_numbers();
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
