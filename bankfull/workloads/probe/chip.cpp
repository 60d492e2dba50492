#include "bankfull/workloads/probe/chip.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/bytes.hpp"
#include "bankfull/workloads/probe/node_pairs.hpp"

#include <algorithm>

namespace bankfull::probe {

void measure_chip(const Problem& problem, const RunContext& context, Experiment& experiment,
                  RunResult& result) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      detail::measure_gpu_chip(problem, context, experiment, result);
      return;
    }
  }
  detail::measure_cpu_chip(problem, context, experiment, result);
}

std::int64_t chip_bytes(const Problem& problem) {
  const std::int64_t order = 4 * max_nodes(problem.device);
  if (problem.device.is_cuda()) {
    constexpr std::int64_t others = 64 * mib;  // lines of L2, their lists, sums of threads
    return others + 2 * detail::in_flight_bytes(problem) + order;
  }
  return std::max(problem.footprint_to, node_bytes(problem)) + order;
}

std::int64_t detail::in_flight_bytes(const Problem& problem) {
  constexpr std::int64_t page = 4096;
  return std::min(gib, problem.memory_limit / 4) / page * page;
}

}  // namespace bankfull::probe
