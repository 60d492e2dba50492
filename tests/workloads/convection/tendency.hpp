#pragma once

#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"

#include <memory>

namespace bankfull::convection {

/// The reference at the initial state of a problem.
inline std::unique_ptr<Integrator> started(const Problem& problem) {
  std::unique_ptr<Integrator> flow = make_reference_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  return flow;
}

/// What one stage of length 1 adds: the tendencies, those of velocity projected.
struct Tendency {
  Grid grid;
  FlowState state;
  FlowState rate;
};

inline Tendency tendency_of(const Problem& problem) {
  const std::unique_ptr<Integrator> flow = started(problem);
  Tendency found{Grid(problem.axes), flow->state(), {}};
  flow->advance({.gamma = 1.0});
  found.rate = difference(flow->state(), found.state);
  return found;
}

}  // namespace bankfull::convection
