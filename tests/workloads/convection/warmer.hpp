#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/implicit_cases.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::convection {

/// Without the buoyancy along periodic axes, where a fluid falls by all of its scalars.
inline Problem without_falling(Problem problem) {
  for (Scalar& scalar : problem.scalars) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      scalar.buoyancy[axis] = problem.axes[axis].periodic ? 0.0 : scalar.buoyancy[axis];
    }
  }
  return problem;
}

/// A problem whose scalars are more by a constant, wherever they are prescribed, with a force that
/// takes away what a fluid would fall faster by along periodic axes.
inline Problem warmer(Problem problem, double by) {
  Vector faster = {};
  for (Scalar& scalar : problem.scalars) {
    for (auto& walls : scalar.walls) {
      for (WallScalar& wall : walls) {
        wall.value += wall.is_flux ? 0.0 : by;
      }
    }
    scalar.initial = [before = scalar.initial, by](double x, double y, double z) {
      return by + (before ? before(x, y, z) : 0.0);
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
      faster[axis] += problem.axes[axis].periodic ? by * scalar.buoyancy[axis] : 0.0;
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (faster[axis] != 0.0) {
      problem.force[axis] = [before = problem.force[axis], more = faster[axis]](double x, double y,
                                                                                double z) {
        return (before ? before(x, y, z) : 0.0) - more;
      };
    }
  }
  return problem;
}

/// What formulas that add 300 round to, beside 1.
inline constexpr double rounding_of_300 = 1e-11;

/// As far from zero, beside 1, as 300 kelvin beside a hundredth of one.
inline constexpr double far_in_single_precision = 3e4;

/// Some with each kind of walls, terms, advection and diffusion.
inline std::vector<Case> cases_to_warm() {
  std::vector<Case> all;
  const auto add = [&](const std::vector<Case>& some, std::size_t every) {
    for (const Case& one : some) {
      if (one.number % every == every / 2 && !one.problem.scalars.empty()) {
        all.push_back(one);
        if (varies_in_time(one.problem)) {  // factors would be of what `warmer` adds to forces too
          all.back().problem = without_falling(one.problem);
        }
      }
    }
  };
  add(cases(), 3);
  add(bounded_cases(cases()), 5);
  add(varying_cases(), 2);
  add(cases_with_implicit_diffusion(), 5);
  add(varying_cases_with_implicit_diffusion(), 3);
  return all;
}

/// What the sums of scalars themselves are, from those of the flow that is less warm.
inline Diagnosis warmed(Diagnosis flow, const Problem& problem, double by) {
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    Diagnosis::OfScalar& scalar = flow.scalars[s];
    double inflow = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double carried = by * flow.mean_velocity[axis];
      scalar.transport[axis] += carried;
      flow.buoyancy_work += problem.scalars[s].buoyancy[axis] * carried;
      flow.force_work -= problem.scalars[s].buoyancy[axis] * carried;  // see warmer
      inflow += (scalar.inflow[axis][0] + scalar.inflow[axis][1]) / box_length[axis];
      for (double& on_wall : scalar.on_wall[axis]) {
        on_wall += problem.axes[axis].periodic ? 0.0 : by;
      }
    }
    scalar.mean_square += 2.0 * by * scalar.mean + by * by;
    scalar.mean += by;
    scalar.min += by;
    scalar.max += by;
    scalar.wall_production += by * inflow;
    scalar.source_production += by * scalar.mean_source;
  }
  return flow;
}

/// The flow of `tuned` with scalars that are more by a constant is that of `cold` but for it.
inline void expect_same_but_for(double by, const Problem& cold, const Problem& tuned,
                                double tolerance) {
  for (const int steps : {0, 1, 4}) {
    const std::string name = cold.name + " after " + std::to_string(steps) + " steps";
    const Reached expected = reached_by_clock(cold, steps);
    Reached found = reached_by_clock(warmer(tuned, by), steps);
    for (std::size_t field = 3; field < found.state.fields.size(); ++field) {
      for (double& value : found.state.fields[field]) {
        value -= by;
      }
    }
    EXPECT_LE(relative_difference(found.state, expected.state), tolerance) << name;
    expect_same_diagnosis(found.diagnosis, warmed(expected.diagnosis, cold, by), 10.0 * tolerance,
                          name);
  }
}

}  // namespace bankfull::convection
