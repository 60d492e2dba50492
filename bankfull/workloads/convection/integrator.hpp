#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/interpolation.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/profile_sample.hpp"
#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/state.hpp"
#include "bankfull/workloads/convection/step_control.hpp"
#include "bankfull/workloads/convection/traffic.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace bankfull::convection {

/// Seconds of each part of a stage.
using StageSeconds = std::array<double, stage_parts>;

/// Advances a flow on one device. Work may be queued: diagnose(), read() and progress() wait for
/// it.
///
/// Scalars are stored and stepped less their reference values: see Plan::stepped. What comes in and
/// goes out here is scalars themselves.
class Integrator : public FlowReader {
 public:
  /// From what the length of the steps to come follows. A new flow needs it before its first step;
  /// it may change at any step, which does not set back the clock.
  virtual void set_rule(const StepRule& rule) = 0;

  /// One step, whose length follows from the rule and the flow; see next_step. None may follow the
  /// one that meets the rule's end of time. `another_follows`: before anything else that looks at
  /// the flow or the clock; a step may then leave work to it.
  virtual void step(bool another_follows) = 0;
  void step() { step(false); }

  /// The step to come: how long it will be and where it will lead, by the rule and the flow as they
  /// are.
  [[nodiscard]] virtual StepState upcoming() = 0;

  /// Where the steps since the clock was started have led.
  [[nodiscard]] virtual StepState progress() const = 0;

  /// Sets the clock to zero; the next step is the scheme's first.
  virtual void restart_clock() = 0;

  /// One stage of a length that the caller chooses, of which the clock knows nothing: advances
  /// velocity and scalars and makes the velocity free of divergence.
  virtual void advance(const Stage& stage) = 0;

  /// The same with a clock around each part.
  virtual StageSeconds advance_timed(const Stage& stage) = 0;

  /// Replaces all fields, makes the velocity free of divergence, forgets tendencies, and
  /// restarts the clock.
  void load(const FlowReader& flow);
  void load(const FlowState& state) { load(KeptFlow(state, plan().grid())); }

  /// Also Plan::pressure_field(), where the plan's output needs it, between steps: over the
  /// density, up to a constant, less what carries the fluid where scalars have the values that
  /// buoyancy is taken from. It is that of the last stage: with explicit diffusion its mean over
  /// the stage, of Adams-Bashforth the whole step. Of a flow that no step has led to it is that of
  /// its tendencies.
  void read(int field, const Box& part, double* values) const final;
  [[nodiscard]] FlowState state() const { return whole(plan().grid(), plan().fields()); }

  /// Takes down all that further steps depend on beside the rule; between steps.
  virtual void save(StateWriter& to) const = 0;

  /// Goes on from there, on any device and by any schedule, in the same precision by the same one
  /// bit for bit; needs the rule before the next step, as a new flow does. The grid, the scalars
  /// and the scheme are those of the flow that was saved. Throws RuntimeFailure where something is
  /// missing.
  virtual void restore(const StateReader& from) = 0;

  [[nodiscard]] virtual const Plan& plan() const = 0;

  [[nodiscard]] Diagnosis diagnose();

  /// Means in the planes across a storage axis. Scalars are less their references there.
  [[nodiscard]] virtual ProfileSample sample(int storage_axis) = 0;

  /// Copies the plan's copied_fields(), on the device: they stay as they are while the flow is
  /// stepped on.
  virtual void copy_fields() {}

  /// Reads the last copies; any thread may, one at a time, but not beside copy_fields().
  void read_copied(int field, const Box& part, double* values) const;

  /// Lists of elements, ghosts among them, that the flow will be asked for again and again.
  void set_gathered(std::vector<std::vector<FieldElement>> lists);

  /// The values of one of these lists, between steps.
  [[nodiscard]] std::vector<double> gathered(std::size_t list) const;

  /// How the pressure solve of the last stage went.
  [[nodiscard]] virtual poisson::Outcome pressure_outcome() const = 0;

  /// The next pressure solve starts from nothing, not from the last one's solution.
  virtual void forget_pressure() = 0;

  /// How many steps have begun with the projection of the one before them; see traffic_left_out.
  [[nodiscard]] virtual std::int64_t steps_ahead() const { return 0; }

  /// The work of one stage whose pressure solve takes so many cycles, which a direct solver does
  /// not have. The reference states no traffic.
  [[nodiscard]] virtual StageWork work_with(double cycles) const = 0;

  /// The same with the cycles of the last solve.
  [[nodiscard]] StageWork work() const { return work_with(pressure_outcome().cycles); }

  /// Waits for all work.
  virtual void finish() = 0;

 private:
  // The same of the stepped problem.
  virtual void load_stepped(const FlowReader& flow) = 0;
  virtual void read_stepped(int field, const Box& part, double* values) const = 0;
  virtual void read_pressure(const Box& part, double* values) const = 0;
  virtual void read_copied_stepped(int /*field*/, const Box& /*part*/, double* /*values*/) const {}
  [[nodiscard]] virtual Diagnosis diagnose_stepped() = 0;
  virtual void prepare_to_gather(const std::vector<std::vector<FieldElement>>& lists) = 0;
  [[nodiscard]] virtual std::vector<double> gathered_stepped(
      std::size_t number, const std::vector<FieldElement>& list) const = 0;

  std::vector<std::vector<FieldElement>> gathered_;
};

/// The copies of an integrator, which outlives it.
class CopiedFlow final : public FlowReader {
 public:
  explicit CopiedFlow(const Integrator& flow) : flow_(&flow) {}

  void read(int field, const Box& part, double* values) const override {
    flow_->read_copied(field, part, values);
  }

 private:
  const Integrator* flow_;
};

/// Checks the memory and builds the fields, at rest, scalars at their reference values: see
/// initial_state.
std::unique_ptr<Integrator> make_integrator(const Plan& plan);

/// The tuned schedule of a team of threads. A flow lives in two sets of fields: a stage reads one
/// and writes the other past the caches, in SIMD packs along the rows; planes are shared by the
/// team, and rows go in blocks whose three planes stay in a core's cache.
std::unique_ptr<Integrator> make_cpu_integrator(const Plan& plan);

/// The tuned schedule of one GPU, in builds with CUDA only. Nothing crosses to the host in a stage:
/// all of its kernels, the pressure solve among them, are one graph whose factors lie in the GPU's
/// memory. The length of a step is chosen there, too.
template <class Real>
std::unique_ptr<Integrator> make_cuda_integrator(const Plan& plan);

/// The oracle of all schedules: serial, fp64, one loop per field, ghosts written by the definition,
/// pressure by conjugate gradients to rounding.
std::unique_ptr<Integrator> make_reference_integrator(const Plan& plan);

/// Bytes that it takes.
std::int64_t reference_integrator_bytes(const Plan& plan);

}  // namespace bankfull::convection
