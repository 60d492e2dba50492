#pragma once

#include "bankfull/workloads/convection/integrator.hpp"

#include <vector>

namespace bankfull::convection {

/// The stages of one step of length dt after one of length dt_before (0: there was none).
///
/// Adams-Bashforth 2 with steps of any length; its first step is Heun's, which is of second order
/// too and leaves the tendency at its beginning for the second step. Runge-Kutta 3: A. A. Wray's
/// scheme of two registers, as in P. R. Spalart, R. D. Moser, M. M. Rogers, J. Comput. Phys. 96
/// (1991) 297-324.
inline std::vector<Stage> stages_of(TimeScheme scheme, double dt, double dt_before) {
  if (scheme == TimeScheme::runge_kutta) {
    return {{.fresh = dt * 8.0 / 15.0, .previous = 0.0},
            {.fresh = dt * 5.0 / 12.0, .previous = -dt * 17.0 / 60.0},
            {.fresh = dt * 3.0 / 4.0, .previous = -dt * 5.0 / 12.0}};
  }
  if (dt_before == 0.0) {
    return {{.fresh = dt, .previous = 0.0},
            {.fresh = 0.5 * dt, .previous = -0.5 * dt, .keeps = false}};
  }
  const double half_ratio = 0.5 * dt / dt_before;
  return {{.fresh = dt * (1.0 + half_ratio), .previous = -dt * half_ratio}};
}

}  // namespace bankfull::convection
