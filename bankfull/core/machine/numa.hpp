#pragma once

#include "bankfull/core/memory/memory.hpp"

#include <vector>

namespace bankfull {

/// A node of the host's memory with cores of its own.
struct NumaNode {
  int number = 0;                    ///< the system's
  std::vector<int> processors = {};  ///< open to this process, one per core, ascending
};

/// The nodes that have cores open to this process, ascending by number. Empty in builds without
/// hwloc.
std::vector<NumaNode> survey_numa_nodes();

/// One processor per core that this process may run on, ascending; in builds without hwloc, which
/// do not know which processors share a core, all of them.
std::vector<int> processors_of_cores();

/// Puts pages of host memory that are not touched yet on a node. False where the system refuses or
/// the build lacks hwloc.
bool bind_to_node(const Memory& memory, int node);

/// Whether all touched pages of host memory lie on the node; false where the system does not say.
bool lies_on_node(const Memory& memory, int node);

namespace detail {
// Defined in cpu_hwloc.cpp, which exists in builds with hwloc only.
std::vector<NumaNode> numa_nodes_by_hwloc(const std::vector<int>& usable);
std::vector<int> processors_of_cores_by_hwloc(const std::vector<int>& usable);
bool bind_to_node_by_hwloc(const Memory& memory, int node);
bool lies_on_node_by_hwloc(const Memory& memory, int node);
}  // namespace detail

}  // namespace bankfull
