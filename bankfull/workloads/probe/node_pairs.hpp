#pragma once

#include "bankfull/core/machine/numa.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::probe {

/// Passes of the threads of one node over memory of another.
struct NodeReads {
  std::vector<double> seconds = {};
  std::int64_t wrong_sums = 0;  ///< of a thread's part in a pass
  bool lies_there = true;       ///< the system confirms that the memory lies on the node
};

/// `repeats` passes after a first one, with a thread on each of the node's cores.
NodeReads read_node(const NumaNode& threads, int memory_node, std::int64_t bytes, int repeats);

/// Seconds of a dependent load by the node's first core from memory of another node.
std::vector<double> node_latency(const NumaNode& threads, int memory_node, std::int64_t bytes,
                                 int repeats);

/// Bytes that are read, and over which the chain lies.
std::int64_t node_bytes(const Problem& problem);

/// Bandwidth and latency from each NUMA node to each (series by the node of the threads, and
/// measurements of the slowest pair), and the check that sums are right. A note where the build
/// lacks hwloc or the system does not bind memory.
void measure_node_pairs(const Problem& problem, const RunContext& context,
                        const Experiment& experiment, RunResult& result);

}  // namespace bankfull::probe
