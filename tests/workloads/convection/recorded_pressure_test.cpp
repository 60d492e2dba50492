#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/kept_state.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <vector>

namespace bankfull::convection {
namespace {

Plan plan_with_pressure(const Problem& problem) {
  const int beyond_scalars = 3 + static_cast<int>(problem.scalars.size());
  return Plan(problem, CeilingRule::none, {.fields = {0, beyond_scalars}});
}

std::unique_ptr<Integrator> flow_with_pressure(const Problem& problem) {
  const Plan plan = plan_with_pressure(problem);
  std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  return flow;
}

std::vector<double> pressure_of(const Integrator& flow) {
  const Box all = box_of(flow.plan().grid().extents());
  std::vector<double> values(static_cast<std::size_t>(all.extents().count()));
  flow.read(flow.plan().pressure_field(), all, values.data());
  return values;
}

/// It is known up to a constant.
std::vector<double> less_mean(std::vector<double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : values) {
    value -= mean;
  }
  return values;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance, const std::string& when) {
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    largest = std::max(largest, std::abs(expected[n]));
    difference = std::max(difference, std::abs(found[n] - expected[n]));
  }
  EXPECT_GT(largest, 0.0) << when;
  EXPECT_LE(difference, tolerance * largest) << when;
}

/// Both schemes, and diffusion that is explicit, implicit, or that of bounded scalars.
std::vector<Case> pressure_cases() {
  std::vector<Case> chosen;
  const auto add = [&](Case one, TimeScheme scheme) {
    one.problem.scheme = scheme;
    one.problem.time_step = {.courant = 0.3};
    one.name += scheme == TimeScheme::runge_kutta ? "RungeKutta" : "AdamsBashforth";
    chosen.push_back(one);
  };
  for (const TimeScheme scheme : {TimeScheme::adams_bashforth, TimeScheme::runge_kutta}) {
    Problem layer =
        busy_problem({6, 5, 7}, {FlowEnds::periodic, FlowEnds::no_slip, FlowEnds::no_slip}, 1, 0);
    stretch(layer, 2, 1.5);
    layer.solver = PressureSolver::multigrid;
    layer.divergence = 1e-12;
    const Case explicit_one{"Explicit", layer, 0};
    add(explicit_one, scheme);
    add({"Bounded", bounded_cases({explicit_one}).front().problem, 0}, scheme);
    layer.implicit_diffusion = ImplicitDiffusion::stretched;
    add({"Implicit", layer, 0}, scheme);
    layer.solver = PressureSolver::automatic;
    layer.implicit_diffusion = ImplicitDiffusion::none;
    add({"Direct", layer, 0}, scheme);
  }
  return chosen;
}

class RecordedPressure : public testing::TestWithParam<Case> {};

TEST_P(RecordedPressure, IsThatOfTheReference) {
  Problem problem = GetParam().problem;
  const std::unique_ptr<Integrator> flow = flow_with_pressure(problem);
  problem.schedule = Schedule::reference;
  const std::unique_ptr<Integrator> reference = flow_with_pressure(problem);
  for (int step = 0; step < 5; ++step) {
    expect_near(less_mean(pressure_of(*flow)), less_mean(pressure_of(*reference)), 1e-8,
                "after step " + std::to_string(step));
    flow->step();
    reference->step();
  }
}

TEST_P(RecordedPressure, ChangesNothingOfTheFlow) {
  const std::unique_ptr<Integrator> flow = flow_with_pressure(GetParam().problem);
  const Plan plan(GetParam().problem);
  const std::unique_ptr<Integrator> without = make_integrator(plan);
  without->load(initial_state(plan.problem(), plan.grid()));
  without->set_rule(step_rule(plan.problem(), plan.grid(), without->diagnose()));
  for (int step = 0; step < 4; ++step) {
    static_cast<void>(pressure_of(*flow));
    EXPECT_TRUE(flow->state().fields == without->state().fields) << "after step " << step;
    flow->step();
    without->step();
  }
}

/// At any step, whatever came to be known of it at that step.
TEST_P(RecordedPressure, IsTheSameAfterARestart) {
  const std::unique_ptr<Integrator> flow = flow_with_pressure(GetParam().problem);
  for (int step = 0; step < 3; ++step) {
    KeptState state;
    flow->save(state);
    const std::unique_ptr<Integrator> other =
        make_integrator(plan_with_pressure(GetParam().problem));
    other->restore(state);
    EXPECT_TRUE(pressure_of(*other) == pressure_of(*flow)) << "after step " << step;
    flow->step();
  }
}

/// After a run that recorded no pressure it is that of the tendencies of the flow, which stay as
/// they were.
TEST_P(RecordedPressure, MayBeginAtARestart) {
  const Problem& problem = GetParam().problem;
  const std::unique_ptr<Integrator> flow = flow_with_pressure(problem);
  flow->step();
  flow->step();
  KeptState state;
  flow->save(state);
  state.erase("told_pressure");
  const std::unique_ptr<Integrator> other = make_integrator(plan_with_pressure(problem));
  other->restore(state);
  expect_near(less_mean(pressure_of(*other)), less_mean(pressure_of(*flow)), 0.2, "at the restart");
  other->set_rule(step_rule(flow->plan().problem(), flow->plan().grid(),
                            flow_with_pressure(problem)->diagnose()));
  flow->step();
  other->step();
  EXPECT_TRUE(other->state().fields == flow->state().fields);
  EXPECT_TRUE(pressure_of(*other) == pressure_of(*flow));
}

INSTANTIATE_TEST_SUITE_P(Cases, RecordedPressure, testing::ValuesIn(pressure_cases()), case_name);

}  // namespace
}  // namespace bankfull::convection
