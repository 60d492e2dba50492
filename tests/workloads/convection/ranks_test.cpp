#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/state.hpp"
#include "tests/workloads/convection/flows_on_ranks.hpp"
#include "tests/workloads/convection/implicit_cases.hpp"
#include "tests/workloads/convection/profile_samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

using testing::HasSubstr;

/// All that ranks of this test may share a problem by.
std::vector<RankGrid> grids_of(const Problem& problem) {
  const poisson::Domain domain = Grid(problem.axes).domain();
  const Extents n = domain.extents();
  const int uncut = poisson::uncut_axis(domain);
  const int size = test_ranks().size();
  std::vector<RankGrid> grids;
  for (int i = 1; i <= size; ++i) {
    const RankGrid grid{i, size / i, 1};
    const bool implicit_rows =
        problem.implicit_along()[static_cast<std::size_t>(Grid(problem.axes).physical(1))];
    const bool cuts_lines = ((uncut == 0 || problem.implicit_anywhere()) && grid.i > 1) ||
                            ((uncut == 1 || implicit_rows) && grid.j > 1);
    if (grid.count() == size && grid.i <= n.ni && grid.j <= n.nj && !cuts_lines) {
      grids.push_back(grid);
    }
  }
  return grids;
}

void expect_bits_of_one_rank(Problem problem, int steps) {
  problem.solver = PressureSolver::multigrid;
  problem.time_step = {.courant = 0.3, .longest = problem.time_step.fixed};
  const std::vector<RankGrid> grids = grids_of(problem);
  if (grids.empty()) {
    return;
  }
  const Found alone = after_steps(problem, steps, {});
  for (const RankGrid& grid : grids) {
    SCOPED_TRACE(to_string(grid));
    problem.threads = grid.i % 2 + 1;
    expect_same(after_steps(problem, steps, {.ranks = &test_ranks(), .grid = grid, .min_cells = 0}),
                alone);
  }
}

class FlowOnRanks : public testing::TestWithParam<Case> {};

TEST_P(FlowOnRanks, HasTheBitsOfOneRank) {
  Problem problem = GetParam().problem;
  problem.divergence = 1e-9;
  expect_bits_of_one_rank(problem, 3);
  problem.precision = Precision::fp32;
  problem.divergence = 1e-4;
  expect_bits_of_one_rank(problem, 2);
}

INSTANTIATE_TEST_SUITE_P(Cases, FlowOnRanks, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Varying, FlowOnRanks, testing::ValuesIn(varying_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Bounded, FlowOnRanks, testing::ValuesIn(bounded_cases(all_cases())),
                         case_name);

INSTANTIATE_TEST_SUITE_P(Implicit, FlowOnRanks, testing::ValuesIn(cases_with_implicit_diffusion()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(ImplicitVarying, FlowOnRanks,
                         testing::ValuesIn(varying_cases_with_implicit_diffusion()), case_name);

INSTANTIATE_TEST_SUITE_P(Shared, FlowOnRanks, testing::ValuesIn(shared_cases()), case_name);

INSTANTIATE_TEST_SUITE_P(SharedImplicit, FlowOnRanks, testing::ValuesIn(shared_implicit_cases()),
                         case_name);

class FlowByDirectSolver : public testing::TestWithParam<Case> {};

TEST_P(FlowByDirectSolver, IsThatOfOneRankToRounding) {
  if (!is_for_this_many_ranks(GetParam())) {
    GTEST_SKIP() << "other numbers of ranks test it";
  }
  Problem problem = GetParam().problem;
  problem.solver = PressureSolver::direct;
  problem.time_step = {.courant = 0.3, .longest = problem.time_step.fixed};
  const Grid grid(problem.axes);
  if (!poisson::direct_unavailable(problem.device, grid.domain()).empty() ||
      grid.extents().ni < test_ranks().size()) {
    GTEST_SKIP() << "no direct solver of this grid on so many ranks";
  }
  const Found alone = after_steps(problem, 5, {});
  const Found shared = after_steps(problem, 5, {.ranks = &test_ranks()});
  EXPECT_LT(largest_difference(shared, alone), 1e-12);
  problem.threads = 3;
  expect_same(after_steps(problem, 5, {.ranks = &test_ranks()}), shared);
  problem.precision = Precision::fp32;
  EXPECT_LT(largest_difference(after_steps(problem, 2, {.ranks = &test_ranks()}),
                               after_steps(problem, 2, {})),
            1e-4);
}

INSTANTIATE_TEST_SUITE_P(Cases, FlowByDirectSolver, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Larger, FlowByDirectSolver, testing::ValuesIn(shared_cases()), case_name);

class ProfilesOnRanks : public testing::TestWithParam<Case> {};

TEST_P(ProfilesOnRanks, AreThoseOfOneRankToRounding) {
  if (!is_for_this_many_ranks(GetParam())) {
    GTEST_SKIP() << "other numbers of ranks test it";
  }
  Problem problem = GetParam().problem;
  problem.solver = PressureSolver::multigrid;
  problem.divergence = 1e-9;
  const std::vector<ProfileSample> alone = samples_after_steps(problem, {});
  for (const RankGrid& grid : grids_of(problem)) {
    SCOPED_TRACE(to_string(grid));
    const poisson::Sharing sharing{.ranks = &test_ranks(), .grid = grid, .min_cells = 0};
    const std::vector<ProfileSample> shared = samples_after_steps(problem, sharing);
    expect_same_samples(shared, alone, 1e-14);
    if (grid.j == 1) {  // planes of axis 0 are whole
      EXPECT_EQ(bits_of(shared[0].means), bits_of(alone[0].means));
    }
    problem.threads = 3;
    const std::vector<ProfileSample> by_more_threads = samples_after_steps(problem, sharing);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(bits_of(by_more_threads[axis].means), bits_of(shared[axis].means));
    }
    problem.threads = 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ProfilesOnRanks, testing::ValuesIn(all_cases()), case_name);

TEST(PlanOnRanks, ChoosesSlabsForTheDirectSolver) {
  const int ranks = test_ranks().size();
  const Problem problem = shared_cases()[1].problem;
  const Plan plan(problem, CeilingRule::none, {}, {.ranks = &test_ranks()});
  EXPECT_EQ(plan.solver(), PressureSolver::direct);
  EXPECT_EQ(plan.cut().grid(), (RankGrid{ranks, 1, 1}));
}

TEST(PlanOnRanks, RefusesWhatRunsOnOneRank) {
  if (test_ranks().size() == 1) {
    GTEST_SKIP() << "nothing is refused";
  }
  const auto refusal_of = [](const Problem& problem) {
    try {
      const Plan plan(problem, CeilingRule::none, {}, {.ranks = &test_ranks()});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Problem problem = wide_layers_with_implicit_diffusion().front().problem;
  EXPECT_EQ(refusal_of(problem), "");
  problem.solver = PressureSolver::direct;
  EXPECT_THAT(refusal_of(problem), HasSubstr("along which implicit diffusion is solved"));
  problem = shared_cases().front().problem;
  EXPECT_EQ(refusal_of(problem), "");
  Problem other = problem;
  other.schedule = Schedule::reference;
  EXPECT_THAT(refusal_of(other), HasSubstr("without mpirun"));
  other = problem;
  other.axes = {AxisCells{.cells = 1, .periodic = true}, AxisCells{.cells = 1, .periodic = true},
                AxisCells{.cells = 8, .periodic = true}};
  if (test_ranks().size() > 8) {
    EXPECT_THAT(refusal_of(other), HasSubstr("cannot split"));
  }
}

}  // namespace
}  // namespace bankfull::convection
