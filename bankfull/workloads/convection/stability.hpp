#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/step_control.hpp"

#include <array>
#include <vector>

namespace bankfull::convection {

/// The longest step for which diffusion is stable: the real-axis limit of the scheme (1 for
/// Adams-Bashforth 2, 2.51 for Runge-Kutta 3) over the largest eigenvalue of the diffusion
/// operator, 4 max(nu, kappa) sum of 1 / h^2 with the narrowest cells, over the axes along which it
/// is explicit. Beside implicit ones the limit of Runge-Kutta 3 is 2.41.
double longest_diffusive_step(const Problem& problem, const Grid& grid);

/// The largest Courant number, dt max(sum of |u| / h), that a case may ask for: 0.8 with
/// Adams-Bashforth 2, 1.7 with Runge-Kutta 3. Stability may keep steps shorter: see next_step.
double largest_courant(TimeScheme scheme);

/// For each cell along the storage axes, kappa / w times the sum of 1 / distance to its neighbours,
/// of the most diffusive bounded scalar: how fast it exchanges what is in it by diffusion, 1 /
/// time. Walls are half as far as ghosts.
std::array<std::vector<double>, 3> diffusive_exchange(const Problem& problem, const Grid& grid);

/// What drives a flow from outside, largest magnitudes at any time of the run.
struct LargestSources {
  Vector force = {};            ///< along x, y, z
  std::vector<double> heating;  ///< of each scalar, its unit / time; empty: none
};

LargestSources largest_sources(const Problem& problem, const Grid& grid);

/// Whether the steps of a problem are chosen one step ahead, so that a schedule may begin a step
/// before it knows the rates of the flow: see next_step. By the problem alone: it has the same
/// steps on all devices.
bool are_steps_planned(const Problem& problem);

/// From what the length of a problem's steps follows, beside the rates of the flow. The flow as it
/// is says what forces can do to it: no chosen step lets moving walls and the forces on the fluid
/// drive it beyond the Courant number asked for within the step itself, from rest. Scalars may come
/// to what their walls prescribe, and to what sources and fluxes make of them within the step.
StepRule step_rule(const Problem& problem, const Grid& grid, const Diagnosis& flow,
                   const LargestSources& sources = {});

/// 2 |Omega|: how fast the Coriolis force turns a velocity.
double turning_rate(const Problem& problem);

}  // namespace bankfull::convection
