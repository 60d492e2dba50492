#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convection {

/// One stage of a time step: u* = u + gamma G(u) + zeta G_before, then projection. Both
/// coefficients contain the length of the step.
///
/// Where diffusion along some axes is implicit, G is without it, and the stage solves
///
///   product over these axes of (1 - theta tau nu D) (u* - u)
///       = gamma G(u) + zeta G_before + tau (nu sum of D u - grad p),    tau = gamma + zeta,
///
/// with D the second difference along an axis, what walls prescribe included where it acts on u:
/// Crank and Nicolson's rule, its matrix factored by J. Douglas and J. E. Gunn, Numer. Math. 6
/// (1964) 428. What walls that vary prescribe anew at the end of the stage is in the factors'
/// right sides, see WallChanges. The pressure p is known, and the projection finds its change; see
/// README.md.
struct Stage {
  double gamma = 0.0;
  double zeta = 0.0;
  bool store_tendency = true;  ///< G(u) becomes G_before of later stages
  double projected = 0.0;      ///< time over which the projection's pressure acts; 0: tau
  double theta = 0.5;          ///< the part of implicit diffusion that acts at the stage's end

  /// tau. Of Heun's second stage, which corrects the first one, it is zero.
  [[nodiscard]] BANKFULL_HOST_DEVICE double length() const { return gamma + zeta; }

  /// theta tau: what nu D is multiplied by in the matrix.
  [[nodiscard]] BANKFULL_HOST_DEVICE double implicit_time() const { return theta * length(); }

  /// A projection takes grad(q) from the velocity: this is p over q.
  [[nodiscard]] BANKFULL_HOST_DEVICE double pressure_per_potential() const {
    const double time = projected > 0.0 ? projected : length();
    return time > 0.0 ? 1.0 / time : 0.0;
  }
};

/// From it follows a pressure to begin with: the tendencies of a flow, all of them explicit.
inline constexpr Stage stage_of_first_pressure{.gamma = 1.0, .store_tendency = false, .theta = 0.0};

/// The stages of one step, in order.
struct Stages {
  static constexpr int max = 3;

  Stage at[max];
  int count = 0;

  BANKFULL_HOST_DEVICE const Stage* begin() const { return at; }
  BANKFULL_HOST_DEVICE const Stage* end() const { return at + count; }
};

/// The stages of one step of length dt after one of length dt_before (0: there was none).
///
/// Adams-Bashforth 2 with steps of any length; its first step is Heun's, which is of second order
/// too and leaves the tendency at its beginning for the second step. Runge-Kutta 3: A. A. Wray's
/// scheme of two registers, as in P. R. Spalart, R. D. Moser, M. M. Rogers, J. Comput. Phys. 96
/// (1991) 297-324, whose gamma and zeta a Stage has.
BANKFULL_HOST_DEVICE inline Stages stages_of(TimeScheme scheme, double dt, double dt_before) {
  if (scheme == TimeScheme::runge_kutta) {
    return {{{dt * 8.0 / 15.0, 0.0, true},
             {dt * 5.0 / 12.0, -dt * 17.0 / 60.0, true},
             {dt * 3.0 / 4.0, -dt * 5.0 / 12.0, true}},
            3};
  }
  if (dt_before == 0.0) {
    return {{{dt, 0.0, true}, {0.5 * dt, -0.5 * dt, false, dt}}, 2};
  }
  const double half_ratio = 0.5 * dt / dt_before;
  return {{{dt * (1.0 + half_ratio), -dt * half_ratio, true}}, 1};
}

/// How long stage n of Runge-Kutta's steps is over the stage before it, for equal steps: the
/// pressure times the length of a stage, which is solved for, changes by that where the pressure
/// stays. Stages of Adams-Bashforth are steps.
inline double length_over_last_stage(TimeScheme scheme, int n) {
  if (scheme != TimeScheme::runge_kutta) {
    return 1.0;
  }
  const Stages stages = stages_of(scheme, 1.0, 1.0);
  const auto length = [&](int stage) { return stages.at[stage].gamma + stages.at[stage].zeta; };
  return length(n) / length((n + stages.count - 1) % stages.count);
}

}  // namespace bankfull::convection
