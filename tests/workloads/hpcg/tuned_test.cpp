#include "bankfull/workloads/hpcg/cpu/slices.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bankfull::hpcg {
namespace {

class CpuTuned : public ::testing::TestWithParam<std::tuple<Grid3, ColumnIndices>> {
 protected:
  static Case the_case(int threads = 1) {
    const auto& [local, columns] = GetParam();
    return {small_problem(local, threads, columns), alone()};
  }
};

TEST_P(CpuTuned, IsGaussSeidelInTheOrderOfColours) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::tuned);
  const textbook::System expected = coloured_textbook_of(c, cpu::slice_height, Boundary::among);
  expect_operations(c, *backend, expected, 1e-12);
  expect_same_residuals(history_of(*backend), history_of(c, expected));
  expect_same_solution(c, *backend, expected);
}

TEST_P(CpuTuned, MultipliesLikeTheReference) {
  const Case c = the_case(2);
  const auto system = make_system(c.problem, c.ranks);
  const auto tuned = system->make_backend(Variant::tuned);
  const auto reference = system->make_backend(Variant::reference);
  const std::vector<double> x = random_rows(textbook_of(c), 5);
  EXPECT_LE(distance(tuned->apply(Operation::spmv, x), reference->apply(Operation::spmv, x)),
            1e-13);
}

TEST_P(CpuTuned, PassesTheTestsOfTheBenchmark) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::tuned);
  expect_valid(c, *system, *backend);
  expect_reaches_reference(*system, *backend);
}

TEST_P(CpuTuned, ThreadsDoNotChangeVectors) {
  const Case one = the_case(1);
  const Case two = the_case(2);
  const auto system_of_one = make_system(one.problem, one.ranks);
  const auto system_of_two = make_system(two.problem, two.ranks);
  const auto backend_of_one = system_of_one->make_backend(Variant::tuned);
  const auto backend_of_two = system_of_two->make_backend(Variant::tuned);
  const std::vector<double> x = random_rows(textbook_of(one), 6);
  for (const Operation operation : {Operation::spmv, Operation::mg}) {
    EXPECT_EQ(backend_of_one->apply(operation, x), backend_of_two->apply(operation, x));
  }
}

TEST_P(CpuTuned, SaysWhatItAdds) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto rows = static_cast<double>(c.problem.local.count());
  const auto bytes = static_cast<double>(system->make_backend(Variant::tuned)->added_bytes());
  const double an_entry = c.problem.columns == ColumnIndices::slim ? 10.0 : 12.0;
  // At most 26 entries besides the diagonal, and what slices add to small levels.
  EXPECT_GT(bytes, 14.0 * an_entry * rows);
  EXPECT_LT(bytes, 60.0 * an_entry * rows);
  EXPECT_EQ(system->make_backend(Variant::reference)->added_bytes(), 0);
}

/// The steps of a level and all coarser ones, as they follow each other.
std::vector<std::pair<std::string, int>> cycle_from(int level) {
  std::vector<std::pair<std::string, int>> steps{{"forward sweep from 0", level},
                                                 {"backward sweep after it", level}};
  if (level + 1 < level_count) {
    steps.emplace_back("residual and restriction", level);
    const auto coarser = cycle_from(level + 1);
    steps.insert(steps.end(), coarser.begin(), coarser.end());
    for (const char* name : {"prolongation", "forward sweep", "backward sweep"}) {
      steps.emplace_back(name, level);
    }
  }
  return steps;
}

TEST_P(CpuTuned, ProfilesTheStepsOfAnIteration) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::tuned);
  std::vector<std::pair<std::string, int>> expected{{"SpMV and p.Ap", 0}, {"r and r.r", 0}};
  const auto cycle = cycle_from(0);
  expected.insert(expected.end(), cycle.begin(), cycle.end());
  expected.insert(expected.end(), {{"r.z", 0}, {"x and p", 0}});
  std::vector<std::pair<std::string, int>> got;
  for (const Step& step : backend->profile(3)) {
    got.emplace_back(step.name, step.level);
    EXPECT_GE(step.seconds, 0.0) << step.name;
    EXPECT_EQ(step.work.traffic.bytes() > 0.0, step.name != "r.z") << step.name;
  }
  EXPECT_EQ(got, expected);
}

/// The same data are used again once the coarser levels have passed.
TEST_P(CpuTuned, WorkingSetsOfStepsHoldTheCoarserLevels) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::tuned);
  std::vector<double> sets(level_count + 1, 0.0);  // and nothing below the coarsest
  std::vector<double> largest(level_count, 0.0);
  for (const Step& step : backend->profile(1)) {
    const auto level = static_cast<std::size_t>(step.level);
    EXPECT_TRUE(sets[level] == 0.0 || sets[level] == step.work.working_set_bytes) << step.name;
    sets[level] = step.work.working_set_bytes;
    largest[level] = std::max(largest[level], step.work.traffic.bytes());
  }
  for (std::size_t level = 0; level < level_count; ++level) {
    EXPECT_GE(sets[level], sets[level + 1] + largest[level]) << "level " << level;
  }
}

TEST_P(CpuTuned, ProfilesLeaveThePathAsItWas) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::tuned);
  const std::vector<double> before = history_of(*backend);
  backend->profile(1);
  EXPECT_EQ(history_of(*backend), before);
}

INSTANTIATE_TEST_SUITE_P(Grids, CpuTuned,
                         ::testing::Combine(::testing::ValuesIn(awkward_grids()),
                                            ::testing::Values(ColumnIndices::full,
                                                              ColumnIndices::slim)));

}  // namespace
}  // namespace bankfull::hpcg
