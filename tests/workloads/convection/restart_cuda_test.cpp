#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/restarts.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::convection {
namespace {

Problem to_restart_on_gpu(const Problem& problem, PressureSolver solver) {
  Problem found = problem;
  found.device = Device::cuda(0);
  found.solver = solver;
  found.divergence = solver == PressureSolver::multigrid ? 1e-6 : found.divergence;
  return found;
}

class CudaRestart : public testing::TestWithParam<Case> {};

TEST_P(CudaRestart, GoesOnBitForBit) {
  for (const PressureSolver solver : {PressureSolver::automatic, PressureSolver::multigrid}) {
    Problem problem = to_restart_on_gpu(GetParam().problem, solver);
    expect_same_after_restart(problem, problem);
    problem.precision = Precision::fp32;
    problem.divergence = 1e-3;
    expect_same_after_restart(problem, problem);
  }
}

/// From a CPU to a GPU and the other way, to rounding.
TEST_P(CudaRestart, GoesOnOnAnotherDevice) {
  const Problem gpu = to_restart_on_gpu(GetParam().problem, PressureSolver::automatic);
  Problem cpu = gpu;
  cpu.device = Device::cpu();
  for (const Problem& first : {gpu, cpu}) {
    KeptState start;
    const StepRule rule = run_to(first, steps_before_restart, start);
    EXPECT_LE(relative_difference(flow_from(start, gpu, rule), flow_from(start, cpu, rule)), 1e-10);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaRestart, testing::ValuesIn(cases_to_restart()), case_name);

}  // namespace
}  // namespace bankfull::convection
