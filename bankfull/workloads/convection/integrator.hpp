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

  /// The work of one stage; the pressure's as in its last solve. The reference states no traffic.
  [[nodiscard]] virtual StageWork work() const = 0;

  /// Waits for all work.
  virtual void finish() = 0;
};

/// Checks the memory and builds the fields, at rest and zero: see initial_state.
std::unique_ptr<Integrator> make_integrator(const Plan& plan);

/// The tuned schedule of a team of threads. A flow lives in two sets of fields: a stage reads one
/// and writes the other past the caches, in SIMD packs along the rows; planes are shared by the
/// team, and rows go in blocks whose three planes stay in a core's cache.
std::unique_ptr<Integrator> make_cpu_integrator(const Plan& plan);

/// The tuned schedule of one GPU, in builds with CUDA only. Nothing crosses to the host in a stage:
/// all of its kernels, the pressure solve among them, are one graph whose factors lie in the GPU's
/// memory.
template <class Real>
std::unique_ptr<Integrator> make_cuda_integrator(const Plan& plan);

/// The oracle of all schedules: serial, fp64, one loop a field, ghosts written by the definition,
/// pressure by conjugate gradients to rounding.
std::unique_ptr<Integrator> make_reference_integrator(const Plan& plan);

/// Bytes that it takes.
std::int64_t reference_integrator_bytes(const Plan& plan);

}  // namespace bankfull::convection
