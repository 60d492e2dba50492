#include "bankfull/numerics/random/counter.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/gpus.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::hpcg {
namespace {

class HpcgReferenceOnGpus : public HpcgOnGpus {};

Problem on_cpu(Problem problem) {
  problem.device = Device::cpu();
  problem.transport = Transport::automatic;
  return problem;
}

TEST_P(HpcgReferenceOnGpus, DoesTheOperationsOfTheTextbook) {
  for_cases([](const Case& c) {
    const auto system = make_system(c.problem, c.ranks);
    const auto backend = system->make_backend(Variant::reference);
    expect_operations(c, *backend, textbook_of(c), 1e-13);
  });
}

TEST_P(HpcgReferenceOnGpus, HasTheResidualsOfTheCpu) {
  for_cases([](const Case& c) {
    const auto system = make_system(c.problem, c.ranks);
    const auto cpu_system = make_system(on_cpu(c.problem), c.ranks);
    const auto backend = system->make_backend(Variant::reference);
    const auto cpu_backend = cpu_system->make_backend(Variant::reference);
    expect_same_residuals(history_of(*backend), history_of(*cpu_backend));
    expect_same_solution(c, *backend, textbook_of(c));
  });
}

/// Sweeps add a row's terms in the order of its entries, whichever warp or thread does.
TEST_P(HpcgReferenceOnGpus, HasTheBitsOfTheCpusMultigrid) {
  for_cases([](const Case& c) {
    const auto system = make_system(c.problem, c.ranks);
    const auto cpu_system = make_system(on_cpu(c.problem), c.ranks);
    std::vector<double> r(static_cast<std::size_t>(system->levels().front().matrix.rows));
    for (std::size_t n = 0; n < r.size(); ++n) {
      r[n] = n % 5 == 0 ? -0.0 : random_symmetric(7, n);
    }
    EXPECT_EQ(system->make_backend(Variant::reference)->apply(Operation::mg, r),
              cpu_system->make_backend(Variant::reference)->apply(Operation::mg, r));
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
