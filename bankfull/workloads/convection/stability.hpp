#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convection {

/// The longest step for which diffusion is stable: the real-axis limit of the scheme (1 for
/// Adams-Bashforth 2, 2.51 for Runge-Kutta 3) over the largest eigenvalue of the diffusion
/// operator, 4 max(nu, kappa) sum of 1 / h^2 with the narrowest cells.
double longest_diffusive_step(const Problem& problem, const Grid& grid);

/// The largest Courant number, dt max(sum of |u| / h), that a scheme can have: 0.8 for
/// Adams-Bashforth 2, with much diffusion; 1.7 for Runge-Kutta 3, with any.
double largest_courant(TimeScheme scheme);

/// Whether a scheme damps all waves along one axis that move with this Courant number, where
/// diffusion has `diffusive_number`: dt times its largest eigenvalue along the axis.
/// Adams-Bashforth 2 amplifies what nothing damps by C^4 / 4 per step; 1e-4 is let pass.
bool is_stable(TimeScheme scheme, double courant, double diffusive_number);

/// The largest |force| along x, y, z.
Vector largest_force(const Problem& problem, const Grid& grid);

/// The step to take from a flow: the fixed one, or the longest that has the Courant number asked
/// for at most, is stable, and does not let moving walls and the forces on the fluid drive it
/// beyond that Courant number within the step itself, from rest.
double step_length(const Problem& problem, const Grid& grid, const Diagnosis& flow,
                   const Vector& force = {});

/// 2 |Omega|: how fast the Coriolis force turns a velocity.
double turning_rate(const Problem& problem);

/// The sum of |u| / h, and what the rotation adds to it: Courant number / dt.
double advective_rate(const Problem& problem, const Diagnosis& flow);

}  // namespace bankfull::convection
