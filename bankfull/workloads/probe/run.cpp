#include "bankfull/workloads/probe/run.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/probe/bandwidth.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/link.hpp"

#include <fmt/format.h>

namespace bankfull::probe {

void require_rank_count(Part part, const Communicator& ranks) {
  if (part == Part::link && ranks.size() == 1) {
    throw UsageError("probe link runs between ranks", "start it with mpirun -n 2");
  }
  if (part != Part::link && ranks.size() > 1) {
    throw UsageError(
        fmt::format("probe {} runs on one rank, here are {}", to_string(part), ranks.size()),
        "start it without mpirun, or use probe link, which runs between ranks");
  }
}

Problem complete(const Problem& problem, const Communicator& ranks) {
  Problem completed;
  ranks.agree([&] { completed = complete(problem); });
  if (has_part(completed, Part::link)) {
    require_links(completed, ranks);
  }
  return completed;
}

RunResult run(const Problem& problem, const RunContext& context) {
  require_rank_count(problem.part, context.ranks);
  const Problem completed = complete(problem, context.ranks);
  RunResult result{.workload = "probe", .problem = describe(completed)};
  Experiment experiment(completed.device, completed.threads, context);
  if (has_part(completed, Part::bandwidth)) {
    measure_bandwidth(completed, context.progress, experiment, result);
  }
  if (has_part(completed, Part::latency)) {
    measure_latency(completed, context.progress, experiment, result);
  }
  if (has_part(completed, Part::link)) {
    measure_links(completed, context, experiment, result);
  }
  experiment.finish(result.measurements);
  return result;
}

}  // namespace bankfull::probe
