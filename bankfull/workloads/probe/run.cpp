#include "bankfull/workloads/probe/run.hpp"

#include "bankfull/core/measure/phase_times.hpp"
#include "bankfull/workloads/probe/bandwidth.hpp"
#include "bankfull/workloads/probe/chip.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/link.hpp"
#include "bankfull/workloads/probe/peers.hpp"

namespace bankfull::probe {

RunResult run(const Plan& plan, const RunContext& context) {
  const Problem& problem = plan.problem;
  RunResult result{.workload = "probe", .problem = describe(problem)};
  Experiment experiment(problem.device, problem.threads, context);
  PhaseTimes phases;
  until_interrupted([&] {
    if (has_part(problem, Part::bandwidth)) {
      phases.enter(to_string(Part::bandwidth));
      measure_bandwidth(plan, context, experiment, result);
    }
    if (has_part(problem, Part::latency)) {
      phases.enter(to_string(Part::latency));
      measure_latency(problem, context, experiment, result);
    }
    if (has_part(problem, Part::chip)) {
      phases.enter(to_string(Part::chip));
      measure_chip(problem, context, experiment, result);
    }
    if (has_part(problem, Part::peers)) {
      phases.enter(to_string(Part::peers));
      measure_peers(problem, context, experiment, result);
    }
    if (has_part(problem, Part::link)) {
      phases.enter(to_string(Part::link));
      measure_links(problem, context, experiment, result);
    }
  });
  phases.enter("ceilings");
  experiment.finish(result.measurements);
  result.phases = phases.finish(context.ranks);
  return result;
}

}  // namespace bankfull::probe
