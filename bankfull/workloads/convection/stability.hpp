#pragma once

#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convection {

/// The longest step for which diffusion is stable: the real-axis limit of the scheme (1 for
/// Adams-Bashforth 2, 2.51 for Runge-Kutta 3) over the largest eigenvalue of the diffusion
/// operator, 4 max(nu, kappa) sum of 1 / h^2 with the narrowest cells.
double longest_diffusive_step(const Problem& problem, const Grid& grid);

/// The largest Courant number, dt max(sum of |u| / h), that is stable for the flows of this solver:
/// 1 for Adams-Bashforth 2, which needs some diffusion beyond any, 1.7 for Runge-Kutta 3.
double largest_courant(TimeScheme scheme);

/// The step to take from a flow whose sum of |u| / h is at most `courant_rate`: the fixed one, or
/// the one of the Courant number asked for within the diffusive limit.
double step_length(const Problem& problem, const Grid& grid, double courant_rate);

}  // namespace bankfull::convection
