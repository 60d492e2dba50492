#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/state.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/convection/cases.hpp"
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

/// All that is known of a flow after some steps, as bits: -0 is not 0.
struct Found {
  std::vector<std::vector<std::uint64_t>> fields;
  std::vector<std::uint64_t> diagnosis;
  std::vector<std::uint64_t> clock;
  int cycles = 0;
};

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  std::ranges::transform(values, std::back_inserter(bits),
                         [](double value) { return std::bit_cast<std::uint64_t>(value); });
  return bits;
}

Found found_in(Integrator& flow) {
  Found found;
  for (const std::vector<double>& field : flow.state().fields) {
    found.fields.push_back(bits_of(field));
  }
  PackedNumbers numbers;
  numbers.add(flow.diagnose());
  found.diagnosis = bits_of(numbers.values());
  const StepState clock = flow.progress();
  found.clock = bits_of({clock.time, clock.dt, clock.rates.advection, clock.rates.buoyancy,
                         clock.rates.exchange, clock.largest_courant, clock.largest_courant_at_end,
                         clock.min_margin});
  found.cycles = flow.pressure_outcome().cycles;
  return found;
}

/// After steps of the flow's own choice.
Found after_steps(const Problem& problem, int steps, const poisson::Sharing& sharing) {
  const Plan plan(problem, CeilingRule::none, {}, sharing);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(InitialFlow(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  for (int n = 0; n < steps; ++n) {
    flow->step();
  }
  return found_in(*flow);
}

void expect_same(const Found& found, const Found& expected) {
  ASSERT_EQ(found.fields.size(), expected.fields.size());
  for (std::size_t field = 0; field < expected.fields.size(); ++field) {
    EXPECT_TRUE(found.fields[field] == expected.fields[field]) << "field " << field;
  }
  EXPECT_EQ(found.diagnosis, expected.diagnosis);
  EXPECT_EQ(found.clock, expected.clock);
  EXPECT_EQ(found.cycles, expected.cycles);
}

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

/// Grids that ranks share with multigrid, too.
std::vector<Case> shared_cases() {
  constexpr std::array<std::array<std::int64_t, 3>, 4> sizes{
      {{6, 48, 64}, {48, 5, 40}, {64, 34, 6}, {26, 40, 30}}};
  std::vector<Case> all;
  for (std::size_t n = 0; n < 16; ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n % 4], all_flow_ends[n / 4],
                                       all_flow_ends[(n + n / 4 + 1) % 4]};
    Problem problem = busy_problem(sizes[n % sizes.size()], ends, 1 + n % 2, n);
    problem.rotation = {0.7, -0.3, 1.1};
    problem.force[1] = uneven(0.3, 1.0);
    problem.scheme = n % 3 == 0 ? TimeScheme::runge_kutta : problem.scheme;
    if (n % 5 == 2) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!problem.axes[axis].periodic) {
          stretch(problem, axis, 1.8);
          break;
        }
      }
    }
    problem.time_step.fixed =
        std::min(0.01, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    problem.name =
        "Shared" + std::to_string(n) + name_of(ends[0]) + name_of(ends[1]) + name_of(ends[2]);
    all.push_back({problem.name, problem, n});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shared, FlowOnRanks, testing::ValuesIn(shared_cases()), case_name);

/// Layers between walls along one axis, which alone is implicit.
std::vector<Case> shared_implicit_cases() {
  std::vector<Case> all;
  for (std::size_t n = 0; n < 6; ++n) {
    const FlowEnds walls = all_flow_ends[1 + n % 3];
    Problem problem =
        busy_problem({40, 32, 20}, {FlowEnds::periodic, FlowEnds::periodic, walls}, 1 + n % 2, n);
    if (n % 2 == 0) {
      stretch(problem, 2, 1.8);
    }
    if (n > 2) {
      let_vary(problem);
    }
    problem.scheme = n % 3 == 1 ? TimeScheme::runge_kutta : problem.scheme;
    problem.name = "Layer" + std::to_string(n) + name_of(walls);
    all.push_back({problem.name, problem, n});
  }
  return with_implicit_diffusion(all);
}

INSTANTIATE_TEST_SUITE_P(SharedImplicit, FlowOnRanks, testing::ValuesIn(shared_implicit_cases()),
                         case_name);

/// The largest difference of two flows, relative to the largest value of all fields: some of them
/// have nothing but rounding. Some flows are at rest.
double largest_difference(const Found& found, const Found& expected) {
  double scale = 1e-2;
  double largest = 0.0;
  for (std::size_t field = 0; field < expected.fields.size(); ++field) {
    for (std::size_t n = 0; n < expected.fields[field].size(); ++n) {
      const auto value = std::bit_cast<double>(expected.fields[field][n]);
      const auto other = std::bit_cast<double>(found.fields[field][n]);
      scale = std::max(scale, std::abs(value));
      largest = std::max(largest, std::abs(other - value));
    }
  }
  return largest / scale;
}

/// Of many ranks, which share few cores, each number tests other cases.
bool is_for_this_many_ranks(const Case& one) {
  constexpr std::size_t shares = 4;
  const auto ranks = static_cast<std::size_t>(test_ranks().size());
  return ranks <= 3 || one.number % shares == ranks % shares;
}

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

std::vector<ProfileSample> samples_after_steps(const Problem& problem,
                                               const poisson::Sharing& sharing) {
  const Plan plan(problem, CeilingRule::none, {}, sharing);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(InitialFlow(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  flow->step();
  flow->step();
  std::vector<ProfileSample> samples;
  for (const int axis : storage_axes) {
    samples.push_back(flow->sample(axis));
  }
  return samples;
}

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
