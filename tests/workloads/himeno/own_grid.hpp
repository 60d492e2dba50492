#pragma once

#include "bankfull/workloads/himeno/verify.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>
#include <ostream>

namespace bankfull::himeno {

/// A schedule whose operator is off by a factor of 1 + perturbation.
struct PerturbedCase {
  Schedule schedule;
  Precision precision;
  double perturbation;
};

// GoogleTest looks for this name.
inline void PrintTo(  // NOLINT(readability-identifier-naming)
    const PerturbedCase& c, std::ostream* out) {
  *out << to_string(c.schedule) << ' ' << to_string(c.precision) << ", operator times 1 + "
       << c.perturbation;
}

inline std::vector<PerturbedCase> perturbed_cases(const std::vector<Schedule>& schedules) {
  std::vector<PerturbedCase> cases;
  for (const Schedule schedule : schedules) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const double perturbation : {0.0, 1e-6, -1e-6}) {
        cases.push_back({schedule, precision, perturbation});
      }
    }
  }
  return cases;
}

/// More points than are all compared, no dimension a multiple of any tile.
inline constexpr GridSize large_odd_grid{97, 131, 203};

/// The check of the schedule on the problem's own grid passes without a perturbation only.
inline void expect_perturbation_found(const PerturbedCase& c, const GridSize& grid, Device device) {
  Problem problem;
  problem.grid = grid;
  problem.device = device;
  problem.threads = 2;
  problem.precision = c.precision;
  problem.perturbation = c.perturbation;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  const Check check = check_own_grid(*solver, problem, c.schedule, alone());
  EXPECT_EQ(check.passed(), c.perturbation == 0.0) << check.value << " points, " << check.source;
}

}  // namespace bankfull::himeno
