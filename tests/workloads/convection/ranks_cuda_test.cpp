#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/convection/flows_on_ranks.hpp"
#include "tests/workloads/convection/kept_state.hpp"
#include "tests/workloads/convection/profile_samples.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

// Flows on the GPUs of several ranks beside those of one GPU.
namespace bankfull::convection {
namespace {

Problem on_own_gpu(Problem problem) {
  problem.device = own_gpu();
  problem.solver = PressureSolver::direct;
  problem.time_step = {.courant = 0.3, .longest = problem.time_step.fixed};
  return problem;
}

bool has_slabs(const Problem& problem) {
  return direct_refusal(problem, Grid(problem.axes), {.ranks = &test_ranks()}).empty();
}

class FlowOnGpus : public OnOwnGpu<testing::TestWithParam<Case>> {};

TEST_P(FlowOnGpus, IsThatOfOneGpuToRounding) {
  Problem problem = on_own_gpu(GetParam().problem);
  if (!has_slabs(problem)) {
    GTEST_SKIP() << "no direct solver of this grid on so many ranks";
  }
  const Found alone = after_steps(problem, 5, {});
  const Found shared = after_steps(problem, 5, {.ranks = &test_ranks()});
  EXPECT_LT(largest_difference(shared, alone), 1e-12);
  expect_same(after_steps(problem, 5, {.ranks = &test_ranks()}), shared);  // in every run
  problem.precision = Precision::fp32;
  EXPECT_LT(largest_difference(after_steps(problem, 2, {.ranks = &test_ranks()}),
                               after_steps(problem, 2, {})),
            1e-4);
}

INSTANTIATE_TEST_SUITE_P(Cases, FlowOnGpus, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Varying, FlowOnGpus, testing::ValuesIn(varying_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Bounded, FlowOnGpus, testing::ValuesIn(bounded_cases(all_cases())),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Larger, FlowOnGpus, testing::ValuesIn(shared_cases()), case_name);

class FlowByMultigridOnGpus : public OnOwnGpu<testing::TestWithParam<Case>> {};

/// Whether the ranks can share the grid so.
bool has_windows(const Problem& problem, const poisson::Sharing& sharing) {
  try {
    const Plan plan(problem, CeilingRule::none, {}, sharing);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

/// All ways in which the ranks can share the grid, between planes, rows or both.
std::vector<poisson::Sharing> sharings_of(const Problem& problem) {
  std::vector<poisson::Sharing> all;
  const int size = test_ranks().size();
  for (int i = 1; i <= size; ++i) {
    const poisson::Sharing sharing{
        .ranks = &test_ranks(), .grid = {i, size / i, 1}, .min_cells = 0};
    if (sharing.grid.count() == size && has_windows(problem, sharing)) {
      all.push_back(sharing);
    }
  }
  return all;
}

Problem by_multigrid(const Problem& problem) {
  Problem result = on_own_gpu(problem);
  result.solver = PressureSolver::multigrid;
  return result;
}

/// Sums of a diagnosis are in the order of a number of ranks.
void expect_same_diagnosis_to_rounding(const Found& found, const Found& expected) {
  ASSERT_EQ(found.diagnosis.size(), expected.diagnosis.size());
  for (std::size_t n = 0; n < expected.diagnosis.size(); ++n) {
    const auto value = std::bit_cast<double>(expected.diagnosis[n]);
    EXPECT_NEAR(std::bit_cast<double>(found.diagnosis[n]), value,
                1e-11 * std::max(1.0, std::abs(value)))
        << "number " << n;
  }
}

TEST_P(FlowByMultigridOnGpus, HasTheBitsOfOneGpu) {
  Problem problem = by_multigrid(GetParam().problem);
  const std::vector<poisson::Sharing> sharings = sharings_of(problem);
  if (sharings.empty()) {
    GTEST_SKIP() << "multigrid does not share this grid among so many ranks";
  }
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    problem.precision = precision;
    const Found alone = after_steps(problem, 4, {});
    for (const poisson::Sharing& sharing : sharings) {
      SCOPED_TRACE(to_string(sharing.grid) + ' ' + to_string(precision));
      const Found shared = after_steps(problem, 4, sharing);
      EXPECT_TRUE(shared.fields == alone.fields);
      EXPECT_EQ(shared.clock, alone.clock);
      EXPECT_EQ(shared.cycles, alone.cycles);
      expect_same_diagnosis_to_rounding(shared, alone);
    }
  }
}

/// Grids on which ranks share several levels of multigrid.
std::vector<Case> deep_cases() {
  std::vector<Case> all;
  for (std::size_t n = 0; n < 4; ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n], all_flow_ends[(n + 1) % 4],
                                       all_flow_ends[(n + 2) % 4]};
    Problem problem = busy_problem({64, 50, 160}, ends, 1, n);
    problem.time_step.fixed = 0.5 * longest_diffusive_step(problem, Grid(problem.axes));
    problem.name = "Deep" + std::to_string(n);
    all.push_back({problem.name, problem, n});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Deep, FlowByMultigridOnGpus, testing::ValuesIn(deep_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Cases, FlowByMultigridOnGpus, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Bounded, FlowByMultigridOnGpus,
                         testing::ValuesIn(bounded_cases(shared_cases())), case_name);
INSTANTIATE_TEST_SUITE_P(Larger, FlowByMultigridOnGpus, testing::ValuesIn(shared_cases()),
                         case_name);

/// Flows with one stretched axis each, along which multigrid relaxes lines.
std::vector<Case> cases_with_lines() {
  std::vector<Case> all;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<FlowEnds, 3> ends{FlowEnds::periodic, FlowEnds::no_slip, FlowEnds::periodic};
    ends[axis] = FlowEnds::no_slip;
    Problem problem = busy_problem({64, 40, 50}, ends, 1, axis);
    stretch(problem, axis, 3.0);
    problem.time_step.fixed =
        std::min(0.01, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    problem.name = "LinesAlong" + std::string(axis_names[axis]);
    all.push_back({problem.name, problem, axis});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Lines, FlowByMultigridOnGpus, testing::ValuesIn(cases_with_lines()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Implicit, FlowByMultigridOnGpus,
                         testing::ValuesIn(shared_implicit_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(ImplicitWide, FlowByMultigridOnGpus,
                         testing::ValuesIn(wide_layers_with_implicit_diffusion()), case_name);

class SamplesOnGpus : public OnOwnGpu<testing::TestWithParam<Case>> {};

TEST_P(SamplesOnGpus, AreThoseOfOneGpuToRounding) {
  const Problem problem = on_own_gpu(GetParam().problem);
  if (!has_slabs(problem)) {
    GTEST_SKIP() << "no direct solver of this grid on so many ranks";
  }
  expect_same_samples(samples_after_steps(problem, {.ranks = &test_ranks()}),
                      samples_after_steps(problem, {}), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Cases, SamplesOnGpus, testing::ValuesIn(all_cases()), case_name);

/// Cells, and ghosts beside them, all over the grid.
std::vector<FieldElement> some_elements(const Plan& plan) {
  const Extents n = plan.grid().extents();
  std::vector<FieldElement> list;
  for (std::int64_t at = 0; at < 2 * (n.ni + n.nj + n.nk); ++at) {
    list.push_back({.field = static_cast<int>(at % plan.fields()),
                    .i = at % (n.ni + 2) - 1,
                    .j = 7 * at % (n.nj + 2) - 1,
                    .k = 3 * at % (n.nk + 2) - 1});
  }
  return list;
}

std::vector<double> elements_after_steps(const Problem& problem, const poisson::Sharing& sharing) {
  const Plan plan(problem, CeilingRule::none, {}, sharing);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  const std::vector<FieldElement> list = some_elements(plan);
  flow->set_gathered({{}, list});
  flow->load(InitialFlow(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  flow->step();
  return flow->gathered(1);
}

class ElementsOnGpus : public OnOwnGpu<> {};

TEST_F(ElementsOnGpus, AreThoseOfOneGpu) {
  for (const Case& one : shared_cases()) {
    SCOPED_TRACE(one.name);
    const Problem problem = on_own_gpu(one.problem);
    if (!has_slabs(problem)) {
      continue;
    }
    const std::vector<double> alone = elements_after_steps(problem, {});
    const std::vector<double> shared = elements_after_steps(problem, {.ranks = &test_ranks()});
    ASSERT_EQ(shared.size(), alone.size());
    for (std::size_t n = 0; n < alone.size(); ++n) {
      EXPECT_NEAR(shared[n], alone[n], 1e-11 * std::max(1.0, std::abs(alone[n]))) << n;
    }
  }
}

/// A state has what a run needs to continue, on any number of ranks.
Found after_restart(const Problem& problem, const poisson::Sharing& first,
                    const poisson::Sharing& second) {
  KeptState kept;
  StepRule rule;
  {
    const Plan plan(problem, CeilingRule::none, {}, first);
    const std::unique_ptr<Integrator> flow = make_integrator(plan);
    flow->load(InitialFlow(plan.problem(), plan.grid()));
    rule = step_rule(plan.problem(), plan.grid(), flow->diagnose());
    flow->set_rule(rule);
    flow->step();
    flow->step();
    flow->save(kept);
  }
  const Plan plan(problem, CeilingRule::none, {}, second);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->restore(kept);
  flow->set_rule(rule);
  flow->step();
  flow->step();
  return found_in(*flow);
}

class RestartOnGpus : public OnOwnGpu<> {};

TEST_F(RestartOnGpus, ContinuesOnAnotherNumberOfThem) {
  std::vector<Case> cases = shared_cases();
  cases.resize(4);
  for (const Case& one : bounded_cases(cases)) {
    SCOPED_TRACE(one.name);
    const Problem problem = on_own_gpu(one.problem);
    if (!has_slabs(problem)) {
      continue;
    }
    const poisson::Sharing all{.ranks = &test_ranks()};
    const Found alone = after_steps(problem, 4, {});
    EXPECT_LT(largest_difference(after_restart(problem, {}, all), alone), 1e-12);
    EXPECT_LT(largest_difference(after_restart(problem, all, {}), alone), 1e-12);
    expect_same(after_restart(problem, all, all), after_steps(problem, 4, all));
  }
}

TEST_F(RestartOnGpus, ContinuesWithImplicitDiffusion) {
  for (const Case& one : shared_implicit_cases()) {
    SCOPED_TRACE(one.name);
    const Problem problem = by_multigrid(one.problem);
    const Found alone = after_steps(problem, 4, {});
    for (const poisson::Sharing& all : sharings_of(problem)) {
      SCOPED_TRACE(to_string(all.grid));
      EXPECT_TRUE(after_restart(problem, {}, all).fields == alone.fields);
      EXPECT_TRUE(after_restart(problem, all, {}).fields == alone.fields);
    }
  }
}

}  // namespace
}  // namespace bankfull::convection
