#pragma once

#include "bankfull/workloads/convection/problem.hpp"

#include <vector>

namespace bankfull::convection {

/// One stage of a time step: u* = u + gamma G(u) + zeta G_before, then projection. Both
/// coefficients contain the length of the step.
struct Stage {
  double gamma = 0.0;
  double zeta = 0.0;
  bool store_tendency = true;  ///< G(u) becomes G_before of later stages
};

/// The stages of one step of length dt after one of length dt_before (0: there was none).
///
/// Adams-Bashforth 2 with steps of any length; its first step is Heun's, which is of second order
/// too and leaves the tendency at its beginning for the second step. Runge-Kutta 3: A. A. Wray's
/// scheme of two registers, as in P. R. Spalart, R. D. Moser, M. M. Rogers, J. Comput. Phys. 96
/// (1991) 297-324, whose gamma and zeta a Stage has.
inline std::vector<Stage> stages_of(TimeScheme scheme, double dt, double dt_before) {
  if (scheme == TimeScheme::runge_kutta) {
    return {{.gamma = dt * 8.0 / 15.0, .zeta = 0.0},
            {.gamma = dt * 5.0 / 12.0, .zeta = -dt * 17.0 / 60.0},
            {.gamma = dt * 3.0 / 4.0, .zeta = -dt * 5.0 / 12.0}};
  }
  if (dt_before == 0.0) {
    return {{.gamma = dt, .zeta = 0.0},
            {.gamma = 0.5 * dt, .zeta = -0.5 * dt, .store_tendency = false}};
  }
  const double half_ratio = 0.5 * dt / dt_before;
  return {{.gamma = dt * (1.0 + half_ratio), .zeta = -dt * half_ratio}};
}

}  // namespace bankfull::convection
