#pragma once

#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/kept_state.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace bankfull::convection {

/// So many that the pressure of the next step is extrapolated from those of three.
inline constexpr int steps_before_restart = 4;
inline constexpr int steps_after_restart = 4;

inline Problem with_threads(Problem problem, int threads) {
  problem.threads = threads;
  return problem;
}

/// Some of all cases, with steps that the flow chooses, diffusion implicit in some, scalars bounded
/// in others.
inline std::vector<Case> cases_to_restart() {
  std::vector<Case> chosen;
  for (const Case& one : all_cases()) {
    if (one.number % 4 == 0) {
      chosen.push_back(one);
      chosen.back().problem.time_step = {.courant = 0.3};
    }
    if (one.number % 8 == 0) {
      chosen.push_back(one);
      chosen.back().name += "Implicit";
      chosen.back().problem.implicit_diffusion =
          one.number % 16 == 0 ? ImplicitDiffusion::walls : ImplicitDiffusion::stretched;
    }
  }
  for (const Case& one : varying_cases()) {
    if (one.number % 4 == 0) {
      chosen.push_back(one);
      chosen.back().problem.time_step = {.courant = 0.3, .longest = 0.01};
    }
    // Walls that vary act on the right side of implicit lines too.
    if (one.number % 8 == 0 || one.number % 8 == 7) {
      chosen.push_back(one);
      chosen.back().name += "Implicit";
      chosen.back().problem.time_step = {.courant = 0.3, .longest = 0.01};
      chosen.back().problem.implicit_diffusion = ImplicitDiffusion::walls;
    }
  }
  for (const Case& one : bounded_cases(all_cases())) {
    if (one.number % 4 == 2) {
      chosen.push_back(one);
      chosen.back().problem.time_step = {.courant = 0.3};
    }
  }
  return chosen;
}

/// Those that the reference takes no time for.
inline std::vector<Case> small_cases_to_restart() {
  std::vector<Case> small;
  for (const Case& one : cases_to_restart()) {
    if (one.problem.cells() < 200) {
      small.push_back(one);
    }
  }
  return small;
}

inline void take_steps(Integrator& flow, int steps) {
  for (int n = 0; n < steps; ++n) {
    flow.step();
  }
}

/// Saves the state after so many steps, and returns the rule that they followed.
inline StepRule run_to(const Problem& problem, int steps, KeptState& state) {
  const Plan plan(problem);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(plan.problem(), plan.grid()));
  const StepRule rule = step_rule(plan.problem(), plan.grid(), flow->diagnose());
  flow->set_rule(rule);
  take_steps(*flow, steps);
  flow->save(state);
  return rule;
}

inline std::unique_ptr<Integrator> restarted(const KeptState& state, const Problem& problem,
                                             const StepRule& rule) {
  std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->restore(state);
  flow->set_rule(rule);
  return flow;
}

inline FlowState flow_from(const KeptState& state, const Problem& problem, const StepRule& rule) {
  const std::unique_ptr<Integrator> flow = restarted(state, problem, rule);
  take_steps(*flow, steps_after_restart);
  return flow->state();
}

/// A run of steps, and the same in two pieces, the second by `second`.
inline void expect_same_after_restart(const Problem& problem, const Problem& second) {
  KeptState whole;
  const StepRule rule = run_to(problem, steps_before_restart + steps_after_restart, whole);
  KeptState half;
  run_to(problem, steps_before_restart, half);
  const std::unique_ptr<Integrator> flow = restarted(half, second, rule);
  KeptState at_once;
  flow->save(at_once);
  EXPECT_TRUE(at_once == half) << "what was restored is not what was saved";
  take_steps(*flow, steps_after_restart);
  KeptState pieces;
  flow->save(pieces);
  EXPECT_EQ(pieces.all_counts(), whole.all_counts());
  for (const auto& [name, values] : whole.all_numbers()) {
    EXPECT_TRUE(pieces.numbers(name) == values) << name;
  }
}

}  // namespace bankfull::convection
