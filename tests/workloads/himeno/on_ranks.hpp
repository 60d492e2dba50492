#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "tests/alone.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::himeno {

/// One run on all ranks that must give the same bits as one rank.
struct RanksCase {
  Problem problem;
  RankGrid cuts;
  int iterations;
};

inline std::string describe(const RanksCase& c) {
  const Problem& p = c.problem;
  return name_of(p.grid) + " on " + to_string(c.cuts) + ", " + to_string(p.precision) + ' ' +
         to_string(p.schedules.front()) + ", overlap " + to_string(p.overlap) + ", transport " +
         to_string(p.transport) + ", " + std::to_string(c.iterations) + " iterations";
}

/// Splits along one, two and three axes of as many ranks, and the automatic one.
inline std::vector<RankGrid> cuts_of(int ranks) {
  std::vector<RankGrid> cuts{{ranks, 1, 1}, {1, ranks, 1}, {1, 1, ranks}};
  for (int a = 2; a < ranks; ++a) {
    if (ranks % a == 0) {
      cuts.push_back({a, ranks / a, 1});
      cuts.push_back({1, a, ranks / a});
    }
  }
  if (ranks == 8) {
    cuts.push_back({2, 2, 2});
  }
  return cuts;
}

inline std::vector<RankGrid> runnable_cuts(const Problem& problem, int ranks) {
  std::vector<RankGrid> runnable;
  for (const RankGrid& cuts : cuts_of(ranks)) {
    const bool whole_rows =
        problem.schedules.front() == Schedule::fused && !problem.device.is_cuda();
    const bool in_planes = problem.overlap == Overlap::two_part;
    if ((whole_rows && cuts.k > 1) || (in_planes && (cuts.j > 1 || cuts.k > 1))) {
      continue;
    }
    runnable.push_back(cuts);
  }
  return runnable;
}

/// The iterations in two calls, so that the first must leave a state from which the second can
/// continue.
inline Outcome outcome_on(const Communicator& ranks, const Problem& problem, int iterations) {
  const Schedule schedule = problem.schedules.front();
  const auto solver = make_solver(make_plan(problem, ranks), ranks);
  solver->load({.kind = InitialState::Kind::random, .seed = 11});
  solver->iterate(schedule, iterations / 2);
  const Sweeps sweeps = solver->iterate(schedule, iterations - iterations / 2);
  return {.pressure = solver->pressure(), .gosa = sweeps.gosa};
}

/// The field bit for bit, and gosa but for the order of its fp64 sum.
inline void expect_same(const RanksCase& c, const Outcome& expected) {
  SCOPED_TRACE(describe(c));
  Problem problem = c.problem;
  problem.rank_grid = c.cuts;
  const Outcome got = outcome_on(test_ranks(), problem, c.iterations);
  ASSERT_EQ(got.pressure.size(), expected.pressure.size());
  std::size_t different = 0;
  for (std::size_t n = 0; n < expected.pressure.size(); ++n) {
    different += got.pressure[n] == expected.pressure[n] ? 0U : 1U;
  }
  EXPECT_EQ(different, 0U) << "cells differ, of " << expected.pressure.size();
  EXPECT_NEAR(got.gosa, expected.gosa, 1e-12 * expected.gosa);
}

/// As the same schedule on one rank.
inline void expect_same_as_one_rank(const RanksCase& c) {
  expect_same(c, outcome_on(alone(), c.problem, c.iterations));
}

}  // namespace bankfull::himeno
