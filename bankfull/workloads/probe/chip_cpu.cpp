#include "bankfull/workloads/probe/chip.hpp"
#include "bankfull/workloads/probe/core_pairs.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/node_pairs.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"

namespace bankfull::probe {
namespace {

constexpr double quick_prefetch_seconds = 1.0;

}  // namespace

void detail::measure_cpu_chip(const Problem& problem, const RunContext& context,
                              Experiment& experiment, RunResult& result) {
  measure_core_pairs(problem, context, experiment, result);
  measure_node_pairs(problem, context, experiment, result);
  measure_walks(problem, prefetch_walks(problem), "prefetch",
                budget_of(problem, quick_prefetch_seconds), context, experiment, result);
}

}  // namespace bankfull::probe
