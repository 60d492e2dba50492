#pragma once

#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/on_ranks.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::hpcg {

/// A test of a backend on the GPUs of all ranks, with every transport that there is.
class HpcgOnGpus : public GpuTransportTest {
 protected:
  static Problem problem_of(const Grid3& local) {
    Problem problem = small_problem(local);
    problem.device = own_gpu();
    problem.transport = GetParam();
    return problem;
  }

  /// body(c) for awkward grids, and for every layout of the ranks with one of these.
  template <class Body>
  static void for_cases(const Body& body) {
    const auto run = [&](const Case& c) {
      SCOPED_TRACE(describe(c));
      body(c);
    };
    for (const Grid3& local : awkward_grids()) {
      run({problem_of(local), test_ranks()});
    }
    for (const Grid3& grid : process_grids(test_ranks().size())) {
      Problem problem = problem_of({9, 8, 10});
      problem.process_grid = grid;
      run({problem, test_ranks()});
    }
  }
};

/// Solves twice with one backend and once with another one.
inline void expect_same_bits(const Case& c, Variant variant) {
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(variant);
  const std::vector<double> history = history_of(*backend);
  const std::vector<double> solution = backend->solution();
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_EQ(history_of(*backend), history);
    EXPECT_EQ(backend->solution(), solution);
  }
  const auto other = system->make_backend(variant);
  EXPECT_EQ(history_of(*other), history);
  EXPECT_EQ(other->solution(), solution);
}

}  // namespace bankfull::hpcg
