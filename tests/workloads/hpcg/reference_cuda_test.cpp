#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/gpus.hpp"

#include <gtest/gtest.h>

namespace bankfull::hpcg {
namespace {

class HpcgReferenceOnGpus : public HpcgOnGpus {};

TEST_P(HpcgReferenceOnGpus, DoesTheOperationsOfTheTextbook) {
  for_cases([](const Case& c) {
    const auto system = make_system(c.problem, c.ranks);
    const auto backend = system->make_backend(Variant::reference);
    expect_operations(c, *backend, textbook_of(c), 1e-13);
  });
}

TEST_P(HpcgReferenceOnGpus, HasTheResidualsOfTheCpu) {
  for_cases([](const Case& c) {
    Case on_cpu = c;
    on_cpu.problem.device = Device::cpu();
    on_cpu.problem.transport = Transport::automatic;
    const auto system = make_system(c.problem, c.ranks);
    const auto cpu_system = make_system(on_cpu.problem, c.ranks);
    const auto backend = system->make_backend(Variant::reference);
    const auto cpu_backend = cpu_system->make_backend(Variant::reference);
    expect_same_residuals(history_of(*backend), history_of(*cpu_backend));
    expect_same_solution(c, *backend, textbook_of(c));
  });
}

TEST_P(HpcgReferenceOnGpus, PassesTheTestsOfTheBenchmark) {
  const Case c{problem_of({16, 16, 16}), test_ranks()};
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::reference);
  expect_valid(c, *system, *backend);
  expect_operations(c, *backend, textbook_of(c), 1e-13);
}

TEST_P(HpcgReferenceOnGpus, RepeatsItsBits) {
  const Case c{problem_of({24, 16, 8}), test_ranks()};
  expect_same_bits(c, Variant::reference);
}

INSTANTIATE_TEST_SUITE_P(Transports, HpcgReferenceOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::hpcg
