#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/workloads/himeno/run.hpp"
#include "bankfull/workloads/himeno/verify.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/himeno/spoilt_solver.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace bankfull::himeno {
namespace {

struct PublishedGosa {
  const char* size;
  double value;
};

// Phillips and Fatica (2010), Table VII, column "CPU double precision": four digits after one
// iteration of fp32 arithmetic with an fp64 sum.
class TableSeven : public ::testing::TestWithParam<PublishedGosa> {};

TEST_P(TableSeven, GosaAfterOneIteration) {
  Problem problem;
  problem.grid = parse_size(GetParam().size);
  problem.threads = 2;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load({});
  EXPECT_NEAR(solver->iterate(Schedule::tuned, 1).gosa, GetParam().value,
              0.5e-3 * GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TableSeven,
                         ::testing::Values(PublishedGosa{"XS", 6.714e-3},
                                           PublishedGosa{"S", 3.417e-3},
                                           PublishedGosa{"M", 1.723e-3}));

class StandardSizes : public ::testing::TestWithParam<std::tuple<const char*, Precision>> {};

TEST_P(StandardSizes, Pass) {
  const auto& [size, precision] = GetParam();
  Problem problem;
  problem.grid = parse_size(size);
  problem.precision = precision;
  problem.threads = 2;
  problem.schedules = all_schedules();
  problem.iterations = 4;
  problem.repeats = 1;
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, alone()), {.ranks = alone(), .progress = progress});
  EXPECT_TRUE(result.verified());
  // The fused schedule has one more: a whole pass.
  EXPECT_EQ(result.checks.size(), 4 * problem.schedules.size() + 1);
}

INSTANTIATE_TEST_SUITE_P(BothPrecisions, StandardSizes,
                         ::testing::Combine(::testing::Values("XS", "S"),
                                            ::testing::Values(Precision::fp32, Precision::fp64)));

class PerturbedRun : public ::testing::TestWithParam<double> {};

const Check& check_of(const RunResult& result, const std::string& name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  if (found == result.checks.end()) {
    throw std::runtime_error("no check " + name);
  }
  return *found;
}

TEST_P(PerturbedRun, SaysSoAndIsNotVerified) {
  Problem problem;
  problem.grid = {15, 14, 13};
  problem.schedules = {Schedule::tuned};
  problem.iterations = 4;
  problem.repeats = 1;
  problem.perturbation = GetParam();
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, alone()), {.ranks = alone(), .progress = progress});
  EXPECT_FALSE(result.verified());
  EXPECT_FALSE(check_of(result, "operator not perturbed").passed());
  // The bitwise comparison detects any perturbation that changes bits.
  const Check& bits = check_of(result, "wrong pressures, random coefficients, own grid, tuned");
  EXPECT_EQ(bits.passed(), std::abs(GetParam()) < 1e-6);
  EXPECT_EQ(result.notes, std::vector<std::string>{perturbation_note(GetParam())});
  EXPECT_EQ(result.problem.back().name, "perturbation");
  EXPECT_EQ(std::get<double>(result.measurements.front().parameters.back().value), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Epsilons, PerturbedRun, ::testing::Values(1e-6, -1e-6, 1e-17, -1e-20));

TEST(Verification, ClosedFormMatchesThePlaneByPlaneSum) {
  for (const StandardSize& size : standard_sizes()) {
    EXPECT_NEAR(plane_by_plane_gosa<double>(size.grid), closed_form_gosa(size.grid),
                1e-9 * closed_form_gosa(size.grid));
    EXPECT_NEAR(plane_by_plane_gosa<float>(size.grid), size.gosa_1_fp32, 5e-3 * size.gosa_1_fp32);
    EXPECT_NEAR(closed_form_gosa(size.grid), size.gosa_1_fp64, 1e-9 * size.gosa_1_fp64);
  }
}

/// A solver whose gosa is off by one percent.
class WrongGosa final : public SpoiltSolver {
 public:
  using SpoiltSolver::SpoiltSolver;

 private:
  double sweep(Schedule schedule, std::int64_t iterations, Halos halos) override {
    return 1.01 * SpoiltSolver::sweep(schedule, iterations, halos);
  }
};

TEST(Verification, AWrongGosaIsCaught) {
  Problem problem;
  problem.grid = parse_size("XS");
  WrongGosa solver(make_solver(make_plan(problem, alone()), alone()));
  for (const Check& check : check_gosa(solver, problem, Schedule::tuned)) {
    EXPECT_FALSE(check.passed()) << check.name;
  }
}

}  // namespace
}  // namespace bankfull::himeno
