#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/block_values.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/pressure_start.hpp"
#include "bankfull/workloads/convection/state.hpp"
#include "bankfull/workloads/convection/step_ahead.hpp"
#include "bankfull/workloads/convection/tally.hpp"
#include "bankfull/workloads/convection/traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::convection {

/// Slots of the factors of stages. A stage of a chosen step has that of the number of stages that
/// follow it, so that the last one always has the first slot; `given_slot` is for stages that a
/// caller chooses.
inline constexpr int given_slot = Stages::max;
inline constexpr int factor_slots = given_slot + 1;

/// Beside the stages of slots, of which a backend may have recordings: the last one of a step whose
/// projection is left to the next step, and one that begins with such a projection.
inline constexpr int leaving_stage = factor_slots;
inline constexpr int stage_ahead = factor_slots + 1;
inline constexpr int stage_kinds = factor_slots + 2;

/// What a backend keeps from step to step for each cell.
enum class Kept {
  flow,             ///< the fields
  tendency,         ///< those of the stage before, a field each
  pressure,         ///< that stages know of, see keeps_pressure
  potential,        ///< what an iterative pressure solver starts from
  past_pressure,    ///< of the step before the last one, see pressure_start
  expected_change,  ///< of the pressure, likewise
  flux,  ///< of bounded scalars, three each, of the stage before: through the lower faces of
         ///< cells, and the upper ones of the last along the axis
};

/// The cells, or faces, of what is kept. `field`: its number among its kind.
inline Extents extents_of_kept(const Grid& grid, Kept what, int field) {
  return what == Kept::flux ? extents_of_faces(grid, field % 3) : grid.extents();
}

/// The tuned schedule of any device: the order in which the parts of a stage follow stands here.
/// A flow lives in two sets of fields, its sides: a stage reads one and leaves the flow in the
/// other.
///
/// A Backend owns the fields and launches the work. It is built from a Plan, which outlives it:
///
///   set_factors(slot, stage) the coefficients of a slot
///   use_factors(slot)        those of what is launched from now on
///   launch(part, to)         one part of a stage that leaves the flow in side `to`
///   launch_stage(kind, to, all)  a whole stage, of a slot or as above: by all(), which launches
///                            its parts, or by a recording of that
///   choose_step()            launches StepClock::choose, which sets the factors of the stages of
///                            the step to come; the largest rates of the flow are noted by the
///                            parts `advance`, of buoyancy, and `projection`, of advection
///   fill_ghosts_and_end_step(to)  launches the part `ghosts` and StepClock::end_step likewise
///   launches set_rule(rule), restart_clock(), forget_rates(), progress(), upcoming()   of the
///                            StepClock
///   mark(n), seconds_after(n)  the device's clock: from mark n to mark n + 1
///   keeps_pressure()         whether projections change a pressure that stages know of, which is
///                            where diffusion is implicit; forget_kept_pressure() sets it to zero
///   set_fields(flow, side)   all but ghosts, and zero tendencies
///   read(side, field, part, values)   see FlowReader
///   clock(), set_clock(clock)  the StepClock; setting it leaves the rule, and puts walls where
///                            they are at its time
///   read_kept(what, side, field, part, values)   as read does
///   read_own_kept(...)       the same of a part that this rank has, without the others
///   set_kept(what, side, field, values)   of all cells or faces; ghosts are left to
///   fill_ghosts(side) and,
///                            where pressure is kept, to the backend
///   tallies(side)            of all ranks
///   profile_means(side, axis)   see ProfileSample
///   prepare_to_gather(lists), gathered(side, number, list)   of one of these lists: see
///                            Integrator; ghosts are in place
///   corrected_variance(scalar)   of a bounded one, since set_fields; see Diagnosis;
///                            set_corrected_variance(scalar, value)
///   scale_pressure(factor)   launches that on what the solver starts from
///   set_first_pressure(step)   which was that of weights_of_start, whose weights are those of the
///                            step to come wherever factors are; where the pressure is
///                            extrapolated
///   extrapolate_pressure()   launches pressure_start with these weights, or those that are given
///   pressure()               its poisson::Solver
///   copy_fields(side), copied_fields()   see Integrator; of backends that have it
///   finish()                 waits for all work
///
/// and, where there is a kernel for it, see step_ahead.hpp:
///
///   leave_projection(to, begins_step)  launches, in place of the projection and the ghosts of a
///                            stage, what advance_unprojected needs: StepAhead::plan, and
///                            StepAhead::begin before where a stage that began so itself has not
///                            launched that
///   advance_unprojected(to)  launches `advance` by the planned step, which projects the flow that
///                            it reads, and advances anew where another step is due
///   begin_step_ahead()       launches StepAhead::begin, and finds the weights of
///                            extrapolate_pressure
template <class Backend>
class StagedIntegrator final : public Integrator {
 public:
  explicit StagedIntegrator(Plan plan) : plan_(std::move(plan)), backend_(plan_) {}

  void set_rule(const StepRule& rule) override {
    complete();
    expects((rule.fixed > 0.0) == (plan_.problem().time_step.fixed > 0.0) || !leaves_projections_,
            "what the plan keeps suits the rule");
    backend_.set_rule(rule);
    is_chosen_ = false;
  }

  [[nodiscard]] StepState upcoming() override {
    complete();
    require_chosen();
    return backend_.upcoming();
  }

  void step(bool another_follows) override {
    if (is_unprojected_) {
      step_ahead();
      return;
    }
    require_chosen();
    const double dt_before = is_first_ ? 0.0 : 1.0;
    const int stages = stages_of(plan_.problem().scheme, 1.0, dt_before).count;
    const bool adds_potentials = records_potential() && stages > plan_.stages();
    const bool leaves = leaves_projections_ && another_follows && !is_first_;
    known_pressure_ = {};
    for (int following = stages - 1; following >= 0; --following) {
      const std::size_t to = 1 - side_;
      backend_.use_factors(following);
      backend_.launch_stage(leaves ? leaving_stage : following, to,
                            [this, following, to, stages, leaves] {
                              start_pressure(stages - 1 - following);
                              following > 0 ? launch_from(StagePart::advance, to)
                              : leaves      ? launch_leaving(to)
                                            : launch_last(to);
                            });
      side_ = to;
      if (adds_potentials) {
        add_potential();
      }
    }
    is_unprojected_ = leaves;
    is_first_ = false;
    is_loaded_ = false;
    if (adds_potentials) {
      const double dt = backend_.progress().dt;
      std::ranges::transform(known_pressure_, known_pressure_.begin(),
                             [dt](double potential) { return potential / dt; });
    }
  }

  [[nodiscard]] StepState progress() const override {
    complete();
    return backend_.progress();
  }

  void restart_clock() override {
    complete();
    backend_.restart_clock();
    set_first_pressure(step_of_first_pressure);
    is_chosen_ = false;
    is_first_ = true;
  }

  void advance(const Stage& stage) override {
    complete();
    const std::size_t to = 1 - side_;
    is_loaded_ = false;
    use_stage(stage);
    backend_.launch_stage(given_slot, to, [this, to] { launch_from(StagePart::advance, to); });
    side_ = to;
  }

  StageSeconds advance_timed(const Stage& stage) override {
    complete();
    const std::size_t to = 1 - side_;
    is_loaded_ = false;
    use_stage(stage);
    const bool extrapolates = timed_pressure_follows(stage);
    for (std::size_t part = 0; part < stage_parts; ++part) {
      backend_.mark(part);
      if (extrapolates && static_cast<StagePart>(part) == StagePart::pressure) {
        start_timed_pressure(stage);
      }
      backend_.launch(static_cast<StagePart>(part), to);
    }
    backend_.mark(stage_parts);
    side_ = to;
    StageSeconds seconds{};
    for (std::size_t part = 0; part < stage_parts; ++part) {
      seconds[part] = backend_.seconds_after(part);
    }
    return seconds;
  }

  [[nodiscard]] const Plan& plan() const override { return plan_; }

  void load_stepped(const FlowReader& flow) override {
    complete();
    if (records_potential()) {
      load_fields(flow);
      find_pressure_of_flow();
    }
    load_fields(flow);
    if (backend_.keeps_pressure()) {
      find_first_pressure();
    }
    note_buoyancy();
    backend_.finish();
  }

  void save(StateWriter& to) const override {
    complete();
    convection::save(backend_.clock(), to);
    if (extrapolates_pressure(plan_)) {
      to.counts(name_of_first_pressure, {first_pressure_});
    }
    save_references(plan_.stepped(), to);
    each_kept(
        [&](const std::string& name, Kept what, int field) { save_kept(name, what, field, to); });
    save_corrected_variance(
        plan_.problem(), [this](int scalar) { return backend_.corrected_variance(scalar); }, to);
    if (records_potential()) {
      to.cells(name_of_recorded_pressure, plan_.grid().extents(), Precision::fp64,
               [this](const Box& part, double* values) { read_pressure(part, values); });
    }
  }

  /// On several ranks each can read what it has without the others.
  void save_kept(const std::string& name, Kept what, int field, StateWriter& to) const {
    const Extents all = extents_of_kept(plan_.grid(), what, field);
    const Precision precision =
        what == Kept::expected_change ? Precision::fp32 : plan_.problem().precision;
    const CellReader read = [&, this](const Box& part, double* values) {
      backend_.read_kept(what, side_, field, part, values);
    };
    if (!plan_.is_shared()) {
      to.cells(name, all, precision, read);
      return;
    }
    to.shared_cells(name, all, precision,
                    {.all = read,
                     .own =
                         [&, this](const Box& part, double* values) {
                           backend_.read_own_kept(what, side_, field, part, values);
                         },
                     .block = block_with_faces(plan_.cut(), all, plan_.ranks()->rank())});
  }

  void restore(const StateReader& from) override {
    complete();
    restore_kept(from);
    if (!records_potential()) {
      return;
    }
    if (from.has(name_of_recorded_pressure)) {
      const Box all = box_of(plan_.grid().extents());
      known_pressure_.resize(static_cast<std::size_t>(all.extents().count()));
      from.cells(name_of_recorded_pressure, all, known_pressure_.data());
    } else {  // of a run that recorded none
      find_pressure_of_flow();
      restore_kept(from);
    }
  }

  void restore_kept(const StateReader& from) {
    backend_.set_clock(saved_clock(from));
    is_first_ = backend_.progress().steps == 0;
    is_chosen_ = false;
    is_loaded_ = false;
    backend_.pressure().forget();
    set_first_pressure(saved_first_pressure(from));
    const bool has_past = from.has(name_of_past_pressure);
    each_kept([&](const std::string& name, Kept what, int field) {
      const bool is_past = what == Kept::past_pressure || what == Kept::expected_change;
      if ((what == Kept::potential && !from.has(name)) || (is_past && !has_past)) {
        return;  // of a run with a direct solver, another scheme, or before there were those
      }
      backend_.set_kept(what, side_, field,
                        what == Kept::flow ? saved_field(plan_.stepped(), plan_.grid(), field, from)
                                           : from.cells(name));
      if (what == Kept::potential) {
        backend_.pressure().recall();
      }
    });
    restore_corrected_variance(plan_.problem(), from, [this](int scalar, double value) {
      backend_.set_corrected_variance(scalar, value);
    });
    backend_.fill_ghosts(side_);
    backend_.finish();
  }

  void read_copied_stepped(int field, const Box& part, double* values) const override {
    if constexpr (requires { backend_.copied_fields(); }) {
      backend_.copied_fields().read(field, part, values);
    }
  }

  void read_stepped(int field, const Box& part, double* values) const override {
    complete();
    backend_.read(side_, field, part, values);
  }

  void read_pressure(const Box& part, double* values) const override {
    complete();
    if (backend_.keeps_pressure()) {
      backend_.read_kept(Kept::pressure, side_, 0, part, values);
      return;
    }
    if (!known_pressure_.empty()) {
      if (values == nullptr) {
        return;
      }
      const Extents n = plan_.grid().extents();
      for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        *values++ = known_pressure_[static_cast<std::size_t>((i * n.nj + j) * n.nk + k)];
      });
      return;
    }
    backend_.read_kept(Kept::potential, side_, 0, part, values);
    if (values == nullptr) {
      return;
    }
    const double dt = backend_.progress().dt;
    const Stages stages = stages_of(plan_.problem().scheme, dt, dt);
    const double factor = stages.at[stages.count - 1].pressure_per_potential();
    std::transform(values, values + part.extents().count(), values,
                   [factor](double potential) { return factor * potential; });
  }

  [[nodiscard]] Diagnosis diagnose_stepped() override {
    complete();
    Diagnosis found = diagnosis_of(plan_.stepped(), plan_.grid(), backend_.tallies(side_));
    for (const int scalar : bounded_scalars(plan_.problem())) {
      found.scalars[static_cast<std::size_t>(scalar)].corrected_variance =
          backend_.corrected_variance(scalar);
    }
    return found;
  }

  [[nodiscard]] ProfileSample sample(int storage_axis) override {
    complete();
    return with_ends(plan_, storage_axis, backend_.progress().time,
                     backend_.profile_means(side_, storage_axis));
  }

  void prepare_to_gather(const std::vector<std::vector<FieldElement>>& lists) override {
    backend_.prepare_to_gather(lists);
  }

  [[nodiscard]] std::vector<double> gathered_stepped(
      std::size_t number, const std::vector<FieldElement>& list) const override {
    complete();
    return backend_.gathered(side_, number, list);
  }

  [[nodiscard]] poisson::Outcome pressure_outcome() const override {
    return is_loaded_ ? projection_ : backend_.pressure().outcome();
  }

  void copy_fields() override {
    complete();
    if constexpr (requires { backend_.copy_fields(side_); }) {
      backend_.copy_fields(side_);
    }
  }

  void forget_pressure() override {
    complete();
    backend_.pressure().forget();
  }

  [[nodiscard]] std::int64_t steps_ahead() const override { return steps_ahead_; }

  [[nodiscard]] StageWork work_with(double cycles) const override {
    const auto& solver = backend_.pressure();
    const double solves = std::max(1.0, cycles);
    const bool divergence_begins = solver.takes_divergence() && !backend_.keeps_pressure();
    StageWork work = stage_work(
        plan_,
        traffic_of_start(plan_) +
            solves * (divergence_begins ? solver.traffic_after_divergence() : solver.traffic()));
    std::string& model = work[static_cast<std::size_t>(StagePart::pressure)].model;
    if (plan_.solver() == PressureSolver::multigrid) {
      model += text_of_cycles(cycles);
    }
    if (const std::string way = solver.way(); !way.empty()) {
      model += ", " + way;
    }
    if (extrapolates_pressure(plan_)) {
      model +=
          "; for its start the potential, the past pressure and the expected change read and "
          "written";
    }
    if (divergence_begins) {
      model += ", of which the divergence is the first";
      work[static_cast<std::size_t>(StagePart::divergence)].model =
          "4 words per cell: three velocities read, what the solver makes of their divergence "
          "written";
    }
    return work;
  }

  void finish() override {
    complete();
    backend_.finish();
  }

 private:
  static constexpr bool has_unprojected_flows = requires(Backend & backend, std::size_t to) {
    backend.advance_unprojected(to);
  };

  /// Does what the last step has left. All that looks at the flow or the clock, or changes what
  /// they depend on, does so first: from outside there are no unprojected flows.
  void complete() const {
    if (is_unprojected_) {
      is_unprojected_ = false;
      backend_.launch(StagePart::projection, side_);
      backend_.fill_ghosts_and_end_step(side_);
    }
  }

  /// A step from the unprojected flow that the last one has left, to another one. Multigrid must
  /// know the length of that before it starts; else a launch less does.
  void step_ahead() {
    if constexpr (has_unprojected_flows) {
      const std::size_t to = 1 - side_;
      const bool begins_early = plan_.solver() == PressureSolver::multigrid;
      known_pressure_ = {};
      backend_.launch_stage(stage_ahead, to, [this, to, begins_early] {
        backend_.advance_unprojected(to);
        if (begins_early) {
          backend_.begin_step_ahead();
          start_pressure(0);
        }
        launch_from(StagePart::divergence, to, static_cast<std::size_t>(StagePart::projection));
        backend_.leave_projection(to, !begins_early);
      });
      side_ = to;
      ++steps_ahead_;
    }
  }

  /// The last stage of a step, but for its projection.
  void launch_leaving(std::size_t to) {
    if constexpr (has_unprojected_flows) {
      launch_from(StagePart::advance, to, static_cast<std::size_t>(StagePart::projection));
      backend_.leave_projection(to, false);
    }
  }

  void require_chosen() {
    if (!is_chosen_) {
      backend_.choose_step();
      is_chosen_ = true;
    }
  }

  /// body(name in a state, what, field)
  template <class Body>
  void each_kept(const Body& body) const {
    for (int field = 0; field < plan_.fields(); ++field) {
      const std::string name = name_of_field(plan_.problem(), plan_.grid(), field);
      body("flow/" + name, Kept::flow, field);
      body("tendency/" + name, Kept::tendency, field);
    }
    if (backend_.keeps_pressure()) {
      body("pressure", Kept::pressure, 0);
    }
    if (plan_.solver() == PressureSolver::multigrid) {
      body(name_of_potential, Kept::potential, 0);
    }
    if (extrapolates_pressure(plan_)) {
      body(name_of_past_pressure, Kept::past_pressure, 0);
      body(name_of_expected_change, Kept::expected_change, 0);
    }
    int fluxes = 0;
    for (const int scalar : bounded_scalars(plan_.problem())) {
      for (const int axis : storage_axes) {
        body(name_of_flux(plan_.problem(), plan_.grid(), scalar, axis), Kept::flux, fluxes++);
      }
    }
  }

  void use_stage(const Stage& stage) {
    backend_.set_factors(given_slot, stage);
    backend_.use_factors(given_slot);
    is_chosen_ = false;
  }

  /// All that a flow begins with but for pressures.
  void load_fields(const FlowReader& flow) {
    restart_clock();
    backend_.forget_rates();
    backend_.set_fields(flow, side_);
    backend_.pressure().forget();
    launch_from(StagePart::divergence, side_);
    projection_ = backend_.pressure().outcome();
    is_loaded_ = true;
  }

  /// Whether the recorded pressure follows from what projections solve for. Where stages know
  /// of a pressure it is that one.
  [[nodiscard]] bool records_potential() const {
    return plan_.tells_pressure() && !backend_.keeps_pressure();
  }

  /// By the tendencies of a flow that no step of this process has led to. What is left is no flow.
  void find_pressure_of_flow() {
    use_stage(stage_of_first_pressure);
    backend_.pressure().forget();
    launch_from(StagePart::advance, 1 - side_);
    known_pressure_.clear();
    add_potential();
  }

  /// Heun's second stage corrects the pressure of the first one.
  void add_potential() {
    backend_.finish();
    const Box all = box_of(plan_.grid().extents());
    std::vector<double> potential(static_cast<std::size_t>(all.extents().count()));
    backend_.read_kept(Kept::potential, side_, 0, all, potential.data());
    known_pressure_.resize(potential.size(), 0.0);
    std::transform(potential.begin(), potential.end(), known_pressure_.begin(),
                   known_pressure_.begin(), std::plus<>());
  }

  /// The pressure of the tendencies, and the rates of the flow again: the other side gets what is
  /// no flow, and then the flow.
  void find_first_pressure() {
    backend_.forget_kept_pressure();
    for (const Stage& stage : {stage_of_first_pressure, Stage{.store_tendency = false}}) {
      use_stage(stage);
      backend_.pressure().forget();
      backend_.forget_rates();
      launch_from(StagePart::advance, 1 - side_);
    }
    backend_.pressure().forget();
  }

  /// A first step has no stage before it that noted the rate of buoyancy: one of no length does.
  void note_buoyancy() {
    use_stage({.gamma = 0.0, .zeta = 0.0, .store_tendency = false});
    backend_.launch(StagePart::advance, 1 - side_);
  }

  /// In steps of Runge-Kutta multigrid starts from the pressure of the stage before, times that
  /// one's length; in those of Adams-Bashforth see pressure_start.
  void start_pressure(int stage) {
    if (extrapolates_pressure(plan_)) {
      backend_.extrapolate_pressure();
      return;
    }
    const double ratio = length_over_last_stage(plan_.problem().scheme, stage);
    if (plan_.solver() == PressureSolver::multigrid && ratio != 1.0) {
      backend_.scale_pressure(ratio);
    }
  }

  /// Whether a timed stage starts as steps do. Not to be asked between marks: a GPU must finish
  /// before it tells its progress.
  [[nodiscard]] bool timed_pressure_follows(const Stage& stage) const {
    return extrapolates_pressure(plan_) && stage.length() > 0.0 &&
           backend_.progress().steps > first_pressure_ + 1;
  }

  /// Of a stage that follows others of its length.
  void start_timed_pressure(const Stage& stage) {
    backend_.extrapolate_pressure({.per_length = 1.0 / stage.length(),
                                   .length = stage.length(),
                                   .growth = 1.0,
                                   .curvature = 1.0});
  }

  void set_first_pressure(std::int64_t step) {
    first_pressure_ = step;
    if (extrapolates_pressure(plan_)) {
      backend_.set_first_pressure(step);
    }
  }

  /// Of a state without past pressures: the last one, or none, is the first.
  [[nodiscard]] std::int64_t saved_first_pressure(const StateReader& from) const {
    if (!from.has(name_of_past_pressure)) {
      const std::int64_t next = backend_.progress().steps + (from.has(name_of_potential) ? 0 : 1);
      return std::max(step_of_first_pressure, next);
    }
    const std::vector<std::int64_t> first = from.counts(name_of_first_pressure);
    if (first.size() != 1 || first.front() < step_of_first_pressure) {
      throw RuntimeFailure("the state of the run does not say which pressures it has");
    }
    return first.front();
  }

  /// A part and all that follow it, up to another.
  void launch_from(StagePart first, std::size_t to, std::size_t end = stage_parts) {
    for (auto part = static_cast<std::size_t>(first); part < end; ++part) {
      backend_.launch(static_cast<StagePart>(part), to);
    }
  }

  /// The last stage of a step. The flow's rates are known once it is projected: the next step is
  /// chosen while the ghosts are filled.
  void launch_last(std::size_t to) {
    launch_from(StagePart::advance, to, static_cast<std::size_t>(StagePart::ghosts));
    backend_.fill_ghosts_and_end_step(to);
  }

  Plan plan_;
  mutable Backend backend_;  ///< complete() changes nothing that is seen from outside
  bool leaves_projections_ = has_unprojected_flows && plan_.leaves_projections();
  mutable bool is_unprojected_ = false;  ///< the flow: its step is yet to be completed
  std::int64_t steps_ahead_ = 0;
  std::size_t side_ = 0;                                  ///< that holds the flow
  bool is_first_ = true;                                  ///< the step to come
  std::int64_t first_pressure_ = step_of_first_pressure;  ///< see weights_of_start
  bool is_chosen_ = false;
  bool is_loaded_ = false;              ///< and no stage has followed
  poisson::Outcome projection_;         ///< of the flow that was loaded
  std::vector<double> known_pressure_;  ///< that is recorded, where no single stage has it
};

}  // namespace bankfull::convection
