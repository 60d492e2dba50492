#include "jacobi/run.hpp"

#include "bankfull/core/measure/experiment.hpp"

#include "jacobi/smoother.hpp"

namespace bankfull::jacobi {

RunResult run(const Plan& plan, const RunContext& context) {
  const Problem& problem = plan.problem;
  Experiment experiment(Device::cpu(), problem.threads, context);
  RunResult result{.workload = "jacobi"};
  until_interrupted([&] {
    Smoother smoother(problem);
    result.problem = smoother.parameters();
    result.measurements = experiment.measure_in_turn({&smoother}, problem.repeats, result.checks);
  });  // the ceiling takes the smoother's memory
  experiment.finish(result.measurements);
  return result;
}

}  // namespace bankfull::jacobi
