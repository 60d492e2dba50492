#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/traffic.hpp"

#include <array>
#include <memory>

namespace bankfull::convection {

/// Seconds of each part of a stage.
using StageSeconds = std::array<double, stage_parts>;

/// Advances a flow on one device. Work may be queued: diagnose() and state() wait for it.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// One stage: advances velocity and scalars and makes the velocity free of divergence.
  virtual void advance(const Stage& stage) = 0;

  /// The same with a clock around each part.
  virtual StageSeconds advance_timed(const Stage& stage) = 0;

  /// Replaces all fields, makes the velocity free of divergence, and forgets tendencies.
  virtual void load(const FlowState& state) = 0;
  [[nodiscard]] virtual FlowState state() const = 0;

  [[nodiscard]] virtual Diagnosis diagnose() = 0;

  /// How the pressure solve of the last stage went.
  [[nodiscard]] virtual poisson::Outcome pressure_outcome() const = 0;

  /// The next pressure solve starts from nothing, not from the last one's solution.
  virtual void forget_pressure() = 0;

  /// Of one stage; the pressure's as in its last solve. The reference states no traffic.
  [[nodiscard]] virtual StageWork work() const = 0;

  /// Waits for all work.
  virtual void finish() = 0;
};

/// Checks the memory and builds the fields, at rest and zero: see initial_state.
std::unique_ptr<Integrator> make_integrator(const Plan& plan);

}  // namespace bankfull::convection
