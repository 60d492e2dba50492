#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/restarts.hpp"
#include "tests/workloads/convection/warmer.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

class RestartOfCase : public testing::TestWithParam<Case> {};

TEST_P(RestartOfCase, GoesOnBitForBitByTheDirectSolver) {
  Problem problem = GetParam().problem;
  problem.solver = PressureSolver::direct;
  expect_same_after_restart(problem, with_threads(problem, 3));
}

TEST_P(RestartOfCase, GoesOnBitForBitByMultigrid) {
  Problem problem = GetParam().problem;
  problem.solver = PressureSolver::multigrid;
  problem.divergence = 1e-6;  // what a solve starts from must show
  expect_same_after_restart(problem, with_threads(problem, 2));
}

TEST_P(RestartOfCase, GoesOnBitForBitInSinglePrecision) {
  Problem problem = GetParam().problem;
  problem.precision = Precision::fp32;
  problem.solver = GetParam().number % 2 == 0 ? PressureSolver::multigrid : PressureSolver::direct;
  problem.divergence = 1e-3;
  expect_same_after_restart(problem, problem);
}

INSTANTIATE_TEST_SUITE_P(Cases, RestartOfCase, testing::ValuesIn(cases_to_restart()), case_name);

class RestartOfReference : public testing::TestWithParam<Case> {};

TEST_P(RestartOfReference, GoesOnBitForBit) {
  Problem problem = GetParam().problem;
  problem.schedule = Schedule::reference;
  expect_same_after_restart(problem, problem);
}

/// The same equations: a flow that another schedule began goes on as one of its own.
TEST_P(RestartOfReference, IsTakenUpByTheTunedSchedule) {
  Problem tuned = GetParam().problem;
  Problem reference = tuned;
  reference.schedule = Schedule::reference;
  KeptState start;
  const StepRule rule = run_to(reference, steps_before_restart, start);
  EXPECT_LE(relative_difference(flow_from(start, tuned, rule), flow_from(start, reference, rule)),
            1e-10);
}

INSTANTIATE_TEST_SUITE_P(Cases, RestartOfReference, testing::ValuesIn(small_cases_to_restart()),
                         case_name);

Problem layer_to_restart() {
  Problem problem =
      busy_problem({6, 5, 7}, {FlowEnds::periodic, FlowEnds::no_slip, FlowEnds::no_slip}, 1, 0);
  stretch(problem, 2, 1.5);
  problem.solver = PressureSolver::multigrid;
  problem.divergence = 1e-6;
  problem.time_step = {.courant = 0.3};
  return problem;
}

Problem implicit_layer_to_restart() {
  Problem problem = layer_to_restart();
  problem.implicit_diffusion = ImplicitDiffusion::stretched;
  return problem;
}

Problem bounded_layer_to_restart() {
  return bounded_cases({{"Layer", layer_to_restart(), 0}}).front().problem;
}

/// Each part of it; but a direct solver leaves multigrid nothing to start from, and an older
/// program no past pressures.
void expect_that_everything_is_needed(const Problem& problem) {
  KeptState whole;
  run_to(problem, steps_before_restart, whole);
  std::vector<std::string> names;
  for (const auto& [name, values] : whole.all_numbers()) {
    names.push_back(name);
  }
  for (const auto& [name, values] : whole.all_counts()) {
    names.push_back(name);
  }
  for (const std::string& name : names) {
    KeptState part = whole;
    part.erase(name);
    const auto flow = make_integrator(Plan(problem));
    if (name == name_of_potential || name == name_of_past_pressure) {
      EXPECT_NO_THROW(flow->restore(part));
    } else {
      EXPECT_THROW(flow->restore(part), RuntimeFailure) << name;
    }
  }
}

TEST(Restart, NeedsAllOfTheState) {
  for (const Problem& problem : {implicit_layer_to_restart(), bounded_layer_to_restart()}) {
    expect_that_everything_is_needed(problem);
    Problem reference = problem;
    reference.schedule = Schedule::reference;
    expect_that_everything_is_needed(reference);
  }
}

/// Nothing that is kept is kept for nothing: a flow without it goes on in another way. What the
/// correction of bounded scalars has added is only told.
void expect_that_everything_counts(const Problem& problem) {
  KeptState state;
  const StepRule rule = run_to(problem, steps_before_restart, state);
  const FlowState expected = flow_from(state, problem, rule);
  for (const auto& [name, values] : state.all_numbers()) {
    KeptState other = state;
    std::vector<double> changed = values;
    constexpr std::size_t rate_of_next_step = 11;  // of the clock some numbers are only told
    changed[name == "clock/progress" ? rate_of_next_step : changed.size() / 2] += 0.01;
    if (name.starts_with("flux/")) {  // where nothing is limited one alone does nothing
      for (std::size_t n = 0; n < changed.size(); n += 3) {
        changed[n] += 0.1;
      }
    }
    other.numbers(name, changed);
    if (name == "references" && !bounded_scalars(problem).empty()) {
      EXPECT_THROW(static_cast<void>(flow_from(other, problem, rule)), RuntimeFailure);
    } else if (name != "bounded/corrected_variance") {
      EXPECT_GT(relative_difference(flow_from(other, problem, rule), expected), 0.0) << name;
    }
  }
}

TEST(Restart, EverythingThatIsKeptCounts) {
  expect_that_everything_counts(implicit_layer_to_restart());
  expect_that_everything_counts(bounded_layer_to_restart());
}

/// Walls that are given other values move what scalars are stored less of, but not the scalars.
TEST(Restart, KeepsScalarsThatAreStoredLessAnotherReference) {
  for (const Schedule schedule : {Schedule::tuned, Schedule::reference}) {
    Problem problem = warmer(layer_to_restart(), 300.0);
    problem.schedule = schedule;
    Problem other = problem;
    for (auto& walls : other.scalars[0].walls) {
      walls[1].value += 20.0;
    }
    ASSERT_NE(Plan(other).stepped().scalars[0].reference,
              Plan(problem).stepped().scalars[0].reference);
    KeptState state;
    const StepRule rule = run_to(problem, steps_before_restart, state);
    EXPECT_LE(relative_difference(restarted(state, other, rule)->state(),
                                  restarted(state, problem, rule)->state()),
              1e-14);
  }
}

}  // namespace
}  // namespace bankfull::convection
