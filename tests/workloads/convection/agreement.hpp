#pragma once

#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::convection {

struct Reached {
  FlowState state;
  Diagnosis diagnosis;
  poisson::Outcome pressure;
};

/// The flow after so many steps from its initial state.
inline Reached reached(const Problem& problem, std::size_t steps) {
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  const double dt = problem.time_step.fixed;
  const std::array<double, 4> lengths{dt, 0.8 * dt, dt, 0.9 * dt};
  advance_steps(*flow, problem.scheme,
                {lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(steps)});
  Reached found{flow->state(), flow->diagnose(), {}};
  found.pressure = flow->pressure_outcome();
  return found;
}

/// The flow after so many fixed steps by the clock that formulas of time depend on.
inline Reached reached_by_clock(const Problem& problem, int steps) {
  const Plan plan(problem);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  for (int n = 0; n < steps; ++n) {
    flow->step();
  }
  return {flow->state(), flow->diagnose(), flow->pressure_outcome()};
}

/// Where steps of a flow's own choice lead.
inline StepState chosen_steps(Problem problem, int steps) {
  problem.time_step = {.courant = 0.3, .longest = problem.time_step.longest};
  const Plan plan(problem);
  const std::unique_ptr<Integrator> flow = make_integrator(plan);
  flow->load(initial_state(plan.problem(), plan.grid()));
  flow->set_rule(step_rule(plan.problem(), plan.grid(), flow->diagnose()));
  for (int n = 0; n < steps; ++n) {
    const StepState upcoming = flow->upcoming();
    flow->step();
    EXPECT_EQ(flow->progress().dt, upcoming.dt);
    EXPECT_EQ(flow->progress().time, upcoming.time);
    EXPECT_EQ(flow->progress().limit, upcoming.limit);
  }
  return flow->progress();
}

/// The lengths of steps, and what they follow from.
inline void expect_same_steps(const Problem& problem, double tolerance) {
  Problem reference = problem;
  reference.schedule = Schedule::reference;
  reference.device = Device::cpu();
  for (const int steps : {1, 2, 4}) {
    const StepState found = chosen_steps(problem, steps);
    const StepState expected = chosen_steps(reference, steps);
    EXPECT_EQ(found.steps, expected.steps);
    EXPECT_EQ(found.limit, expected.limit) << steps;
    EXPECT_NEAR(found.time, expected.time, tolerance * expected.time) << steps;
    EXPECT_NEAR(found.dt, expected.dt, tolerance * expected.dt) << steps;
    EXPECT_NEAR(found.rates.advection, expected.rates.advection,
                tolerance * std::max(1.0, expected.rates.advection));
    EXPECT_NEAR(found.rates.buoyancy, expected.rates.buoyancy,
                tolerance * std::max(1.0, expected.rates.buoyancy));
    EXPECT_NEAR(found.rates.exchange, expected.rates.exchange,
                tolerance * std::max(1.0, expected.rates.exchange));
    EXPECT_NEAR(found.largest_courant, expected.largest_courant, tolerance);
  }
}

/// Found once a case: the reference takes its time.
inline const Reached& reached_by_reference(const Case& one, std::size_t steps) {
  static std::map<std::pair<std::string, std::size_t>, Reached> known;
  const std::pair<std::string, std::size_t> key{one.name, steps};
  const auto found = known.find(key);
  if (found != known.end()) {
    return found->second;
  }
  Problem problem = one.problem;
  problem.schedule = Schedule::reference;
  return known.emplace(key, reached(problem, steps)).first->second;
}

/// What a value may be off by: relative to 1 or itself, whichever is larger.
inline void expect_close(double value, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(value, expected, tolerance * std::max(1.0, std::abs(expected))) << what;
}

inline void expect_same_diagnosis(const Diagnosis& found, const Diagnosis& expected,
                                  double tolerance, const std::string& name) {
  EXPECT_TRUE(found.finite()) << name;
  expect_close(found.courant_rate, expected.courant_rate, tolerance, name + " courant_rate");
  expect_close(found.fastest, expected.fastest, tolerance, name + " fastest");
  expect_close(found.kinetic_energy, expected.kinetic_energy, tolerance, name + " energy");
  expect_close(found.dissipation, expected.dissipation, tolerance, name + " dissipation");
  expect_close(found.buoyancy_work, expected.buoyancy_work, tolerance, name + " buoyancy work");
  expect_close(found.wall_work, expected.wall_work, tolerance, name + " wall work");
  expect_close(found.force_work, expected.force_work, tolerance, name + " force work");
  expect_close(found.mean_square_gradient, expected.mean_square_gradient, tolerance,
               name + " gradients");
  ASSERT_EQ(found.scalars.size(), expected.scalars.size()) << name;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    expect_close(found.fastest_along[axis], expected.fastest_along[axis], tolerance,
                 name + " fastest along " + axis_names[axis]);
  }
  for (std::size_t s = 0; s < found.scalars.size(); ++s) {
    const Diagnosis::OfScalar& one = found.scalars[s];
    const Diagnosis::OfScalar& other = expected.scalars[s];
    expect_close(one.mean, other.mean, tolerance, name + " mean");
    expect_close(one.mean_square, other.mean_square, tolerance, name + " mean square");
    expect_close(one.min, other.min, tolerance, name + " least");
    expect_close(one.max, other.max, tolerance, name + " most");
    expect_close(one.dissipation, other.dissipation, tolerance, name + " dissipation of a scalar");
    expect_close(one.corrected_variance, other.corrected_variance, tolerance, name + " corrected");
    expect_close(one.wall_production, other.wall_production, tolerance, name + " by walls");
    expect_close(one.source_production, other.source_production, tolerance, name + " by sources");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string along = name + " along " + axis_names[axis];
      expect_close(one.transport[axis], other.transport[axis], tolerance, along + " transport");
      expect_close(one.on_wall[axis][0], other.on_wall[axis][0], tolerance, along + " below");
      expect_close(one.on_wall[axis][1], other.on_wall[axis][1], tolerance, along + " above");
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        expect_close(one.inflow[axis][side], other.inflow[axis][side], tolerance,
                     along + " inflow");
      }
    }
  }
}

/// The case by a tuned schedule against the reference after one step and after four.
inline void expect_agreement(const Case& one, const Problem& tuned, double tolerance) {
  for (const std::size_t steps : {std::size_t{1}, std::size_t{4}}) {
    const std::string name = one.name + " after " + std::to_string(steps) + " steps, " +
                             to_string(tuned.solver) + ", " + std::to_string(tuned.threads) +
                             " threads";
    const Reached& expected = reached_by_reference(one, steps);
    const Reached found = reached(tuned, steps);
    ASSERT_EQ(found.state.fields.size(), expected.state.fields.size()) << name;
    EXPECT_LE(relative_difference(found.state, expected.state), tolerance) << name;
    // Sums add up rounding, and walls divide it by the width of a cell.
    expect_same_diagnosis(found.diagnosis, expected.diagnosis, 10.0 * tolerance, name);
    EXPECT_TRUE(found.pressure.converged) << name;
  }
}

/// For a strongly stretched case with the direct solver. Products with eigenvectors round by the
/// square root of the ratios of widths, which are up to 5500 along an axis (ADR 0017).
inline constexpr double rounding_of_strong_stretching = 5e-11;

/// The case by the CPU's schedule, every solver and both precisions in one test: the reference
/// takes its time.
inline void expect_agreement_on_cpu(const Case& one) {
  constexpr double fp64_rounding = 1e-12;
  constexpr double fp32_rounding = 3e-5;
  Problem tuned = one.problem;
  tuned.threads = 2;
  expect_agreement(one, tuned, fp64_rounding);
  tuned.solver = PressureSolver::multigrid;
  expect_agreement(one, tuned, fp64_rounding);
  Problem single = one.problem;
  single.precision = Precision::fp32;
  single.divergence = 1e-4;
  expect_agreement(one, single, fp32_rounding);
}

/// What varies with time by a tuned schedule against the reference.
inline void expect_same_variation(const Problem& tuned, double tolerance) {
  Problem reference = tuned;
  reference.schedule = Schedule::reference;
  reference.precision = Precision::fp64;
  reference.device = Device::cpu();
  for (const int steps : {0, 1, 4}) {
    const std::string name = tuned.name + " after " + std::to_string(steps) + " steps";
    const Reached found = reached_by_clock(tuned, steps);
    const Reached expected = reached_by_clock(reference, steps);
    EXPECT_LE(relative_difference(found.state, expected.state), tolerance) << name;
    expect_same_diagnosis(found.diagnosis, expected.diagnosis, 10.0 * tolerance, name);
  }
}

}  // namespace bankfull::convection
