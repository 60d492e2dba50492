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
  const std::int64_t chain =
      problem.device.is_cuda() ? detail::in_flight_bytes(problem) : problem.footprint_to;
  const std::int64_t order =
      4 * std::min(max_nodes(problem.device), chain / line_bytes(problem.device));
  if (problem.device.is_cuda()) {
    constexpr std::int64_t others = 16 * mib;  // lines of L2 and their lists, or regions for L1
    return std::max(others, 2 * chain + order);
  }
  return std::max(chain, node_bytes(problem)) + order;
}

std::int64_t detail::in_flight_bytes(const Problem& problem) {
  constexpr std::int64_t page = 4096;
  return std::min(gib, problem.memory_limit / 4) / page * page;
}

}  // namespace bankfull::probe
