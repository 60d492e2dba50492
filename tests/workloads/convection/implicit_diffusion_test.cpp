#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/implicit_cases.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

struct ImplicitCase {
  std::string name;
  std::array<FlowEnds, 3> ends;
  std::size_t variety;  ///< of the scalars' walls
  ImplicitDiffusion implicit;
  TimeScheme scheme;
};

void PrintTo(const ImplicitCase& one, std::ostream* out) { *out << one.name; }

/// A flow between walls whose thinnest cells are a fifteenth of the widest ones.
Problem thin_cells(const ImplicitCase& one) {
  Problem problem = busy_problem({8, 1, 14}, one.ends, 2, one.variety);
  problem.axes[2].stretching = 1.8;
  problem.noise = 0.0;
  problem.scheme = one.scheme;
  problem.schedule = Schedule::reference;
  return problem;
}

/// The flow after so many equal steps.
FlowState flow_after(Problem problem, const FlowState& start, ImplicitDiffusion implicit,
                     double duration, std::int64_t steps) {
  problem.implicit_diffusion = implicit;
  problem.time_step.fixed = 0.0;
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(start);
  advance_to(*flow, problem.scheme, duration, steps);
  return flow->state();
}

/// By explicit steps of third order that are so short that they are exact beside others.
FlowState exactly_after(Problem problem, const FlowState& start, double duration) {
  problem.scheme = TimeScheme::runge_kutta;
  const double longest = 0.5 * longest_diffusive_step(problem, Grid(problem.axes));
  return flow_after(problem, start, ImplicitDiffusion::none, duration,
                    static_cast<std::int64_t>(std::ceil(duration / longest)));
}

class ImplicitDiffusionInTime : public testing::TestWithParam<ImplicitCase> {};

TEST_P(ImplicitDiffusionInTime, IsOfSecondOrderAndTendsToExplicitSteps) {
  const Problem problem = thin_cells(GetParam());
  // Not from the formulas: what walls suddenly do to a flow has no smooth beginning.
  const FlowState start = exactly_after(problem, initial_state(problem, Grid(problem.axes)), 0.3);
  constexpr double duration = 0.4;
  const FlowState exact = exactly_after(problem, start, duration);
  std::vector<double> errors;
  for (const std::int64_t steps : {10, 20, 40, 80}) {
    errors.push_back(relative_difference(
        flow_after(problem, start, GetParam().implicit, duration, steps), exact));
  }
  EXPECT_NEAR(std::log2(errors[2] / errors[3]), 2.0, 0.2);
}

std::vector<ImplicitCase> implicit_cases() {
  using E = FlowEnds;
  std::vector<ImplicitCase> all;
  std::size_t variety = 0;
  for (const FlowEnds z : {E::no_slip, E::free_slip, E::mixed_moving}) {
    for (const FlowEnds x : {E::periodic, E::no_slip}) {
      for (const TimeScheme scheme : {TimeScheme::adams_bashforth, TimeScheme::runge_kutta}) {
        for (const auto implicit : {ImplicitDiffusion::stretched, ImplicitDiffusion::walls}) {
          const bool rk = scheme == TimeScheme::runge_kutta;
          const bool walls = implicit == ImplicitDiffusion::walls;
          all.push_back({name_of(x) + name_of(z) + (rk ? "RungeKutta" : "AdamsBashforth") +
                             (walls ? "Walls" : "Stretched"),
                         {x, E::periodic, z},
                         variety++,
                         implicit,
                         scheme});
        }
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ends, ImplicitDiffusionInTime, testing::ValuesIn(implicit_cases()),
                         [](const auto& one) { return one.param.name; });

class ImplicitDiffusionOnCpu : public testing::TestWithParam<Case> {};

TEST_P(ImplicitDiffusionOnCpu, AgreesWithTheReference) { expect_agreement_on_cpu(GetParam()); }

TEST_P(ImplicitDiffusionOnCpu, ChoosesTheStepsOfTheReference) {
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  expect_same_steps(tuned, 1e-12);
}

TEST_P(ImplicitDiffusionOnCpu, LoadingForgetsWhatWasBefore) {
  const Problem& problem = GetParam().problem;
  const FlowState start = initial_state(problem, Grid(problem.axes));
  const FlowState once = reached(problem, 2).state;
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  for (const int steps : {0, 1, 2}) {
    flow->load(start);
    advance_steps(*flow, problem.scheme,
                  std::vector<double>(static_cast<std::size_t>(steps), 0.01));
  }
  flow->load(start);
  const double dt = problem.time_step.fixed;
  advance_steps(*flow, problem.scheme, {dt, 0.8 * dt});
  EXPECT_EQ(flow->state().fields, once.fields);
}

TEST_P(ImplicitDiffusionOnCpu, ATeamChangesNoBit) {
  Problem problem = GetParam().problem;
  const Reached alone = reached(problem, 2);
  problem.threads = 3;
  EXPECT_EQ(reached(problem, 2).state.fields, alone.state.fields);
}

class ImplicitDiffusionBesideVaryingWalls : public testing::TestWithParam<Case> {};

TEST_P(ImplicitDiffusionBesideVaryingWalls, AgreesWithTheReference) {
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  expect_same_variation(tuned, 1e-12);
  tuned.precision = Precision::fp32;
  tuned.divergence = 1e-4;
  expect_same_variation(tuned, 3e-5);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImplicitDiffusionBesideVaryingWalls,
                         testing::ValuesIn(varying_cases_with_implicit_diffusion()), case_name);

INSTANTIATE_TEST_SUITE_P(Cases, ImplicitDiffusionOnCpu,
                         testing::ValuesIn(cases_with_implicit_diffusion()), case_name);

}  // namespace
}  // namespace bankfull::convection
