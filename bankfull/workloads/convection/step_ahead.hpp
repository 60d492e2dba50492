#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/step_control.hpp"

namespace bankfull::convection {

class Plan;

// A step may leave its projection to the stage that follows, which then reads the velocity once
// instead of twice. How long the step to come is must be known before: it is planned.

/// Whether there is a kernel for the steps of a plan that pays: on one GPU, by Adams-Bashforth.
/// Chosen steps of small grids would take more time, for whether the plan held is found by a kernel
/// of its own. Bits and lengths of steps are the same either way.
bool can_leave_projections(const Plan& plan);

/// Whether a stage that begins with a projection must be able to be repeated: tendencies before and
/// after it are then kept apart.
bool keeps_both_tendencies(const Plan& plan);

/// A step that begins before the one before it has ended, which is when the rates of the flow that
/// it starts from are known.
struct StepAhead {
  StepState step;         ///< but for what depends on these rates
  double buoyancy = 0.0;  ///< largest rate of the flow that it starts from

  /// Before it begins. The clock's step to come has been taken, but has not ended.
  BANKFULL_HOST_DEVICE void plan(const StepClock& clock) {
    step = planned_step(clock.rule, clock.next);
  }

  /// The step as it must be, once the clock has noted the rate of advection of the flow that it
  /// starts from.
  [[nodiscard]] BANKFULL_HOST_DEVICE static StepState due(StepClock clock) {
    clock.end_step();
    return clock.next;
  }

  /// Has the step before it end: the clock's step to come is this one, as it is due.
  BANKFULL_HOST_DEVICE void begin(StepClock& clock) {
    clock.end_step();
    clock.noted.buoyancy = buoyancy;
    buoyancy = 0.0;
  }
};

}  // namespace bankfull::convection
