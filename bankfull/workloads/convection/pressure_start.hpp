#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/workloads/convection/step_control.hpp"

#include <cstdint>

namespace bankfull::convection {

class Plan;

// What multigrid starts from in a step of Adams-Bashforth: the pressure extrapolated in time, by
// the parabola through those of the last three steps. Each is that of the middle of its step.

/// Whether a plan's steps do that: it takes two more fields, of which one is in single precision.
/// The stages of Runge-Kutta have pressures that lie on no smooth curve: see ADR 0054. With
/// implicit diffusion the potential is a change of the pressure, which was not tried.
bool extrapolates_pressure(const Plan& plan);

/// Bytes of these fields on the plan's device, of this rank's part; 0 without.
std::int64_t bytes_of_past_pressure(const Plan& plan);

/// Words of a pass that forms the start in place: the potential and both fields are read and
/// written.
Traffic traffic_of_start(const Plan& plan);

/// The weights in pressure_start. By default the potential stays as it is.
struct StartWeights {
  double per_length = 1.0;  ///< of the step that the potential is of
  double length = 1.0;      ///< of the step to come
  /// The time from the last step's middle to that of the next, over the time to that of the one
  /// before; 0: the pressure before is not known.
  double growth = 0.0;
  double curvature = 0.0;  ///< of the change of differences; 0: fewer than three are known
};

/// The step after which the first potential of Adams-Bashforth is a pressure: the first one is
/// Heun's, whose second stage corrects a pressure.
inline constexpr std::int64_t step_of_first_pressure = 2;

/// For the step to come of a clock, if the steps from number `first` on have left pressures. The
/// difference before the last one was over a time that is taken to be as long as that one's: where
/// steps change by a tenth, the second difference is wrong by a twentieth.
BANKFULL_HOST_DEVICE inline StartWeights weights_of_start(const StepClock& clock,
                                                          std::int64_t first) {
  const StepState& last = clock.progress;
  StartWeights weights;
  if (last.steps < first || !(last.dt > 0.0)) {
    return weights;
  }
  weights.per_length = 1.0 / last.dt;
  weights.length = clock.next.dt;
  if (last.steps > first) {
    weights.growth = (clock.next.dt + last.dt) / (last.dt + last.dt_before);
  }
  if (last.steps > first + 1) {
    weights.curvature = 0.5 * weights.growth * (1.0 + weights.growth);
  }
  return weights;
}

/// Operations of the function below. A test counts them.
struct StartFlops {
  static constexpr int start = 8;
};

/// The potential to start from, given that of the last step. `before`: the pressure of the step
/// before that, `expected`: by how much it should have grown by the last difference; both become
/// those of the next step.
template <class Real, class Change>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Real pressure_start(const StartWeights& weights,
                                                                Real potential, Real& before,
                                                                Change& expected) {
  const Real pressure = static_cast<Real>(weights.per_length) * potential;
  const Real difference = pressure - before;
  const Real next = static_cast<Real>(weights.growth) * difference;
  const Real change = difference - static_cast<Real>(expected);
  before = pressure;
  expected = static_cast<Change>(next);
  return static_cast<Real>(weights.length) *
         (pressure + next + static_cast<Real>(weights.curvature) * change);
}

/// The same of a row of cells.
template <class Real, class Change>
void start_pressure_row(const StartWeights& weights, Real* potential, Real* before,
                        Change* expected, std::int64_t cells) {
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    potential[k] = pressure_start(weights, potential[k], before[k], expected[k]);
  }
}

}  // namespace bankfull::convection
