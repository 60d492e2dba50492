#include "bankfull/workloads/probe/run.hpp"

#include "bankfull/workloads/probe/bandwidth.hpp"
#include "bankfull/workloads/probe/latency.hpp"

namespace bankfull::probe {

RunResult run(const Problem& problem, Progress& progress) {
  const Problem completed = complete(problem);
  RunResult result{.workload = "probe",
                   .problem = describe(completed),
                   .measurements = {},
                   .series = {},
                   .checks = {},
                   .notes = {}};
  if (completed.part != Part::latency) {
    measure_bandwidth(completed, progress, result);
  }
  if (completed.part != Part::bandwidth) {
    measure_latency(completed, progress, result);
  }
  return result;
}

}  // namespace bankfull::probe
