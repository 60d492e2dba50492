#include "bankfull/workloads/probe/chip.hpp"
#include "bankfull/workloads/probe/core_pairs.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/node_pairs.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::probe {
namespace {

constexpr PartSeconds prefetch_seconds{.quick = 1.0, .usual = 4.0};
constexpr std::int64_t quick_prefetch_bytes = std::int64_t{256} << 20;

/// A quick probe saves the time to touch a footprint as large as that of the latency part.
Problem of_walks(Problem problem) {
  problem.footprint_to =
      problem.quick ? std::min(problem.footprint_to, quick_prefetch_bytes) : problem.footprint_to;
  return problem;
}

}  // namespace

void detail::measure_cpu_chip(const Problem& problem, const RunContext& context,
                              Experiment& experiment, RunResult& result) {
  measure_core_pairs(problem, context, experiment, result);
  measure_node_pairs(problem, context, experiment, result);
  measure_walks(of_walks(problem), prefetch_walks(problem), "prefetch",
                budget_of(problem, prefetch_seconds), context, experiment, result);
}

}  // namespace bankfull::probe
