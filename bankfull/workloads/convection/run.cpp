#include "bankfull/workloads/convection/run.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/counted_work.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/end_of_run.hpp"
#include "bankfull/workloads/convection/last_done.hpp"
#include "bankfull/workloads/convection/measured.hpp"
#include "bankfull/workloads/convection/nusselt_window.hpp"
#include "bankfull/workloads/convection/run_probes.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace bankfull::convection {
namespace {

constexpr std::int64_t rows_per_run = 200;

/// A flow that blows up is noticed within so many steps.
constexpr std::int64_t watch_steps = 50;

/// Steps that are launched without a look at the clock take no longer than this, so that whoever
/// watches or interrupts a run need not wait.
constexpr double seconds_between_looks = 0.2;

/// Where multigrid does not converge.
constexpr std::string_view other_solver = "use solver.pressure = \"direct\", or less stretching";

std::string name_of_broken(const Problem& problem, const Diagnosis& diagnosis) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(diagnosis.fastest_along[axis])) {
      return fmt::format("the velocity along {}", axis_names[axis]);
    }
  }
  for (std::size_t s = 0; s < diagnosis.scalars.size(); ++s) {
    const Diagnosis::OfScalar& scalar = diagnosis.scalars[s];
    if (!std::isfinite(scalar.mean) || !std::isfinite(scalar.max)) {
      return problem.scalars[s].name;
    }
  }
  return "the divergence";
}

/// One integration from the initial conditions to the end.
class Integration {
 public:
  Integration(const Plan& plan, const IntegrationContext& context)
      : plan_(plan),
        problem_(plan.problem()),
        context_(context),
        path_(heat_path_of(problem_)),
        nusselt_(problem_),
        early_end_(problem_),
        sources_(largest_sources(problem_, plan.grid())),
        statistics_(plan, context.cadence.statistics),
        spectra_(plan, context.cadence.spectra),
        probes_(plan, context.cadence.probes),
        integrator_(make_integrator(plan)),
        copied_(*integrator_) {
    probes_.prepare(*integrator_);
  }

  RunOutcome integrate() {
    if (context_.start == nullptr) {
      begin();
    } else {
      go_on_from(*context_.start);
    }
    while (!at_end()) {
      advance_some_steps();
      plan_row();
      sample_when_due();
      save_when_due();
      record_when_due();
    }
    record_statistics(true);
    outcome_.progress = clock_;
    outcome_.taken = taken();
    outcome_.counters = counted_.tally();
    outcome_.end = end();
    outcome_.resolution_checks = resolution_->checks();
    outcome_.averages = nusselt_.averages();
    outcome_.diagnosis = diagnosis_;
    outcome_.largest_force = sources_.force;
    outcome_.first_step = first_step_;
    outcome_.part_ahead = part_ahead();
    outcome_.pressure = pressure_outcome();
    outcome_.mean_cycles = checked_ > 0 ? cycles_ / static_cast<double>(checked_) : 0.0;
    return outcome_;
  }

  ~Integration() { context_.recorder.finish_reading(); }
  Integration(const Integration&) = delete;
  Integration& operator=(const Integration&) = delete;

  Integrator& integrator() { return *integrator_; }

 private:
  void begin() {
    const InitialFlow of_problem(problem_, plan_.grid());
    const FlowReader& initial = context_.initial != nullptr ? *context_.initial : of_problem;
    integrator_->load(initial);
    require_projected(initial);
    start_ = integrator_->diagnose();
    resolution_ = std::make_unique<ResolutionWatch>(problem_, plan_.grid(), start_);
    check_flow();
    set_rule();
    require_short_enough();
    context_.recorder.begin();
    record();
    snapshot_when_due();
    if (fields().any()) {
      record_fields();
    }
    probes_.record_all(clock_.steps, clock_.time, *integrator_, probe_listener());
    restart_watches();
  }

  /// A state is saved between a step and everything that is recorded at its end; after the last
  /// step too.
  void go_on_from(const StateReader& saved) {
    restore(saved);
    set_rule();
    context_.recorder.begin();
    restart_watches();
    record_when_due();
  }

  void restart_watches() {
    saved_ = {clock_.steps, clock_.time};
    since_save_.restart();
    since_fields_.restart();
    counted_.begin();
    watch_.restart();
    since_begin_.restart();
  }

  void record_when_due() {
    if (at_end() || due()) {
      time_steps();
      check_flow();
      if (at_end() || record_due()) {
        record();
      }
      snapshot_when_due();
      set_rule();
      watch_.restart();
    } else if (row_is_near()) {
      note_budgets();
    }
    record_fields_when_due();
    read_probes_when_due();
  }

  /// What the root says, where ranks may differ: by their clocks.
  template <class Value>
  [[nodiscard]] Value agreed(Value mine) const {
    context_.ranks.broadcast(&mine, sizeof(mine), 0);
    return mine;
  }

  [[nodiscard]] bool at_end() const {
    if (interrupted_) {
      return true;
    }
    return clock_.steps >= last_step() || time_is_over();
  }

  [[nodiscard]] bool time_is_over() const {
    return problem_.end_time > 0.0 && clock_.time >= problem_.end_time;
  }

  /// Any large number where only the time ends the run.
  [[nodiscard]] std::int64_t last_step() const {
    return problem_.steps > 0 ? std::min(problem_.steps, early_end_.last_step())
                              : early_end_.last_step();
  }

  [[nodiscard]] RunEnd end() const {
    if (problem_.steps > 0 && clock_.steps >= problem_.steps) {
      return RunEnd::steps;
    }
    if (time_is_over()) {
      return RunEnd::time;
    }
    return clock_.steps >= last_step() ? early_end_.reason().value_or(RunEnd::steps)
                                       : RunEnd::interruption;
  }

  [[nodiscard]] std::int64_t series_steps() const {
    if (context_.cadence.series_steps > 0) {
      return context_.cadence.series_steps;
    }
    double steps = problem_.steps > 0 ? static_cast<double>(problem_.steps) : 0.0;
    if (problem_.end_time > 0.0) {
      const double by_time = problem_.end_time / reported_step().dt;
      steps = steps > 0.0 ? std::min(steps, by_time) : by_time;
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps) / rows_per_run);
  }

  /// The last step, or the first while there was none.
  [[nodiscard]] StepState reported_step() const {
    return clock_.steps > 0 ? clock_ : integrator_->upcoming();
  }

  /// As the integrator will choose it, but for what internal waves and bounded scalars ask for.
  [[nodiscard]] StepState first_step() const {
    return next_step(rule_, clock_, {.advection = diagnosis_.courant_rate});
  }

  [[nodiscard]] bool record_due() const { return clock_.steps >= row_step_; }

  /// The step of the next row, that of an end in time left aside.
  [[nodiscard]] std::int64_t next_row_step() const { return std::min(row_step_, last_step()); }

  /// Whether a row may follow within the two steps whose budgets it contains.
  [[nodiscard]] bool row_is_near() const {
    const bool ends = problem_.end_time > 0.0 &&
                      min_steps_to(rule_, clock_, problem_.end_time) <= steps_of_budgets;
    return ends || clock_.steps + steps_of_budgets >= next_row_step();
  }

  /// Where rows follow from the length of steps: how often that is looked at. A plan must not
  /// depend on when a clock on a wall has the run look, or no two runs would record the same.
  [[nodiscard]] bool plans_rows() const {
    return context_.cadence.series_steps == 0 && problem_.end_time > 0.0 &&
           problem_.time_step.fixed == 0.0;
  }

  /// The first step after step n at which the next row is planned anew: 8, 64, 512 ... steps after
  /// the last row. The host waits for the device there, so that powers of 2 would cost small grids
  /// on a GPU 5 % of their speed.
  [[nodiscard]] std::int64_t planning_step_after(std::int64_t n) const {
    std::int64_t since_row = 8;
    while (recorded_step_ + since_row <= n) {
      since_row *= 8;
    }
    return recorded_step_ + since_row;
  }

  /// Longer steps make a row due earlier, but never before its budgets are known.
  void plan_row() {
    if (!plans_rows() || clock_.steps != planning_step_after(clock_.steps - 1)) {
      return;
    }
    const std::int64_t earliest = clock_.steps + steps_of_budgets;
    if (row_step_ > earliest) {
      row_step_ = std::max(earliest, recorded_step_ + series_steps());
    }
  }

  void note(const Diagnosis& flow) {
    budgets_.add(clock_.steps, clock_.time, flow);
    nusselt_.add(clock_.time, flow, budgets_);
  }

  /// The flow between two rows, for the budgets of the next. Steps are timed without it.
  void note_budgets() {
    integrator_->finish();
    seconds_before_pause_ += watch_.seconds();
    note(integrator_->diagnose());
    watch_.restart();
  }

  /// Before a state is saved, which has the sample then. Steps are timed without it.
  void sample_when_due() {
    if (!statistics_.due(clock_.steps, clock_.time) && !spectra_.due(clock_.steps, clock_.time)) {
      return;
    }
    integrator_->finish();
    seconds_before_pause_ += watch_.seconds();
    const Stopwatch sampling;
    statistics_.sample(clock_.steps, clock_.time, *integrator_);
    spectra_.sample(clock_.steps, clock_.time, *integrator_);
    outcome_.seconds_of_statistics += sampling.seconds();
    watch_.restart();
  }

  void record_statistics(bool at_end) const {
    const StatisticsSoFar found{
        .profiles = statistics_.profiles(), .spectra = spectra_.spectra(), .at_end = at_end};
    if (found.any()) {
      context_.recorder.statistics(found);
    }
  }

  [[nodiscard]] bool due() const {
    return record_due() || clock_.steps - checked_step_ >= watch_steps || snapshot_due();
  }

  /// Steps until there may be something to do, at least one.
  [[nodiscard]] std::int64_t steps_ahead() const {
    std::int64_t last = std::min({next_row_step() - steps_of_budgets, checked_step_ + watch_steps,
                                  saved_.next_step(checkpoints().steps),
                                  recorded_fields_.next_step(fields().steps)});
    last = std::min({last, statistics_.next_step(clock_.steps), spectra_.next_step(clock_.steps),
                     probes_.next_step()});
    if (plans_rows()) {
      last = std::min(last, planning_step_after(clock_.steps));
    }
    if (problem_.steps > 0) {
      last = std::min(last, next_snapshot_step());
    }
    std::int64_t steps = last - clock_.steps;
    if (problem_.end_time > 0.0) {
      const double picture = next_snapshot_part() * problem_.end_time;
      steps = std::min({steps, min_steps_to(rule_, clock_, picture),
                        min_steps_to(rule_, clock_, problem_.end_time) - steps_of_budgets});
    }
    for (const double time : {saved_.next_time(checkpoints().time),
                              recorded_fields_.next_time(fields().time), probes_.next_time()}) {
      if (time < HUGE_VAL) {
        steps = std::min(steps, min_steps_to(rule_, clock_, time));
      }
    }
    return std::max<std::int64_t>(1, steps);
  }

  [[nodiscard]] double progress_part() const {
    const double by_steps =
        problem_.steps > 0 ? static_cast<double>(clock_.steps) / static_cast<double>(problem_.steps)
                           : 0.0;
    const double by_time = problem_.end_time > 0.0 ? clock_.time / problem_.end_time : 0.0;
    return std::min(1.0, std::max(by_steps, by_time));
  }

  /// For who watches: where the run is and how fast, all its pictures included.
  [[nodiscard]] std::string detail() const {
    const double seconds_per_step = mean_seconds_per_step();
    return fmt::format(
        "step {}, time {:.6g}, dt {:.3g}, {:.5g} steps/s, {:.3g} ns per cell and step",
        clock_.steps, clock_.time, clock_.dt, 1.0 / seconds_per_step,
        seconds_per_step / static_cast<double>(problem_.cells()) * 1e9);
  }

  /// Where the run is when the next picture but the last is due; 1: there is none.
  [[nodiscard]] double next_snapshot_part() const {
    const int last = context_.cadence.snapshots - 1;
    const std::int64_t next = snapshots_ + passed_over_;
    return next >= last ? 1.0 : static_cast<double>(next) / last;
  }

  [[nodiscard]] std::int64_t next_snapshot_step() const {
    return static_cast<std::int64_t>(
        std::ceil(next_snapshot_part() * static_cast<double>(problem_.steps)));
  }

  [[nodiscard]] bool snapshot_due() const {
    return context_.cadence.snapshots >= 2 &&
           (at_end() || (next_snapshot_part() < 1.0 && progress_part() >= next_snapshot_part()));
  }

  /// Launches steps until there may be something to do, or progress is to be reported.
  void advance_some_steps() {
    const Stopwatch launching;
    const std::int64_t steps = agreed(std::min(steps_ahead(), steps_between_looks()));
    for (std::int64_t n = 0; n < steps && !interrupted_; ++n) {
      integrator_->step(n + 1 < steps);
      ++timed_steps_;
      interrupted_ = context_.interrupted();
      if (agreed(launching.seconds() > seconds_between_looks)) {
        break;
      }
    }
    clock_ = integrator_->progress();
    context_.progress.update("integrating " + problem_.name, progress_part(), 1.0,
                             [this] { return detail(); });
  }

  /// As many as took the time between two looks; a device may queue more than it has done.
  [[nodiscard]] std::int64_t steps_between_looks() const {
    if (clock_.steps == first_step_) {
      return 1;
    }
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(seconds_between_looks / mean_seconds_per_step()));
  }

  [[nodiscard]] double part_ahead() const {
    const auto steps = static_cast<double>(clock_.steps - first_step_);
    return steps > 0.0 ? static_cast<double>(integrator_->steps_ahead()) / steps : 0.0;
  }

  /// The mean over the steps that this process has taken.
  [[nodiscard]] double mean_seconds_per_step() const {
    return since_begin_.seconds() / static_cast<double>(clock_.steps - first_step_);
  }

  void time_steps() {
    integrator_->finish();
    const double seconds = seconds_before_pause_ + watch_.seconds();
    seconds_before_pause_ = 0.0;
    if (timed_steps_ > 0) {
      seconds_since_row_ += seconds;
      steps_since_row_ += timed_steps_;
      outcome_.seconds_of_steps += seconds;
      counted_.add(seconds, at_end());
      outcome_.seconds_per_step.push_back(seconds / static_cast<double>(timed_steps_));
      outcome_.cycles_per_solve.push_back(pressure_outcome().cycles);
    }
    timed_steps_ = 0;
  }

  void check_flow() {
    diagnosis_ = integrator_->diagnose();
    if (!diagnosis_.finite()) {
      throw RuntimeFailure(
          fmt::format("the flow blew up: {} is no longer finite at step {}, time {:.6g}; {}",
                      name_of_broken(problem_, diagnosis_), clock_.steps, clock_.time, remedy()));
    }
    require_steps();
    require_solved();
    require_within_stability();
    require_bounded();
    note(diagnosis_);
    cycles_ += pressure_outcome().cycles;
    ++checked_;
    checked_step_ = clock_.steps;
    early_end_.judge(clock_.steps, checked_, nusselt_);
  }

  /// Before the first step: there is none yet by which a divergence could be judged.
  void require_projected(const FlowReader& initial) const {
    const poisson::Outcome solve = integrator_->pressure_outcome();
    if (!solve.converged && !(solve.residual <= rounding_of_projection(plan_, initial))) {
      throw RuntimeFailure(fmt::format(
          "the pressure solver does not converge: it leaves a divergence of {:.3g} of the initial "
          "velocity after {} cycles; {}",
          solve.residual, solve.cycles, other_solver));
    }
  }

  /// Only a flow that something has blown up asks for steps like that.
  void require_steps() const {
    const bool is_step = clock_.dt > 0.0 && std::isfinite(clock_.dt);
    if (clock_.steps > 0 && !is_step) {
      throw RuntimeFailure(
          fmt::format("the flow blew up: its time step became {:g} at step {}, time {:.6g}, for "
                      "velocities up to {:.3g}; {}",
                      clock_.dt, clock_.steps, clock_.time, diagnosis_.fastest, remedy()));
    }
  }

  /// Steps that are chosen do not blow up a flow whose pressure is solved for.
  [[nodiscard]] std::string remedy() const {
    const bool pressure = !pressure_outcome().converged;
    return pressure && problem_.time_step.fixed == 0.0
               ? fmt::format("the pressure solver does not converge: {}", other_solver)
               : "use a shorter time step or more cells";
  }

  /// A solver that stops at its rounding leaves no more than rounding behind.
  void require_solved() const {
    const poisson::Outcome solve = pressure_outcome();
    if (clock_.steps > 0 && !solve.converged &&
        !check_divergence(plan_, diagnosis_, clock_, sources_.force).passed()) {
      throw RuntimeFailure(fmt::format(
          "the pressure solver does not converge: it leaves a divergence of {:.3g} after {} cycles "
          "at step {}, time {:.6g}; {}",
          diagnosis_.divergence, solve.cycles, clock_.steps, clock_.time, other_solver));
    }
  }

  /// A fixed step that was short enough may not be so for what the flow has become; a little beyond
  /// stability, which the run's checks report, is not yet lost.
  void require_within_stability() const {
    constexpr double lost = 0.5;
    if (clock_.min_margin < lost) {
      throw RuntimeFailure(fmt::format(
          "the time step of {:g} became unstable: at most {:.3g} of it is stable{}, with a Courant "
          "number of up to {:.3g} by step {}, time {:.6g}; shorten time.dt, or let time.cfl choose "
          "it",
          problem_.time_step.fixed, clock_.min_margin,
          bounded_scalars(problem_).empty() ? "" : " and keeps bounded scalars within their bounds",
          clock_.largest_courant, clock_.steps, clock_.time));
    }
  }

  /// Nothing but the scheme lets a scalar leave its bounds that far.
  void require_bounded() const {
    const std::string runaway = resolution_->runaway(diagnosis_);
    if (!runaway.empty()) {
      throw RuntimeFailure(
          fmt::format("{} at step {}, time {:.6g}: the grid is far too coarse; use "
                      "more cells or more diffusion",
                      runaway, clock_.steps, clock_.time));
    }
  }

  /// Checks a fixed step; a chosen one is short enough.
  void require_short_enough() const {
    const StepState first = first_step();
    const double courant = first.dt * diagnosis_.courant_rate;
    const double limit = largest_courant(problem_.scheme);
    about("time.dt", [&] {
      require(!(courant > limit),
              fmt::format("a time step of {:g} makes a Courant number of {:.3g} with the "
                          "initial flow, beyond {:g}, where advection becomes unstable",
                          first.dt, courant, limit),
              fmt::format("use at most {:.3g}, or let a Courant number choose it",
                          first.dt * limit / courant));
    });
  }

  void set_rule() {
    rule_ = step_rule(problem_, plan_.grid(), diagnosis_, sources_);
    about("time.longest", [&] {
      require(std::isfinite(first_step().dt),
              "nothing bounds the step of a flow at rest, without forces and diffusion",
              "give a longest step, or an end of time");
    });
    integrator_->set_rule(rule_);
  }

  void record() {
    const StepState step = reported_step();
    SeriesRow row{.step = clock_.steps,
                  .time = clock_.time,
                  .dt = step.dt,
                  .limit = step.limit,
                  .courant = step.dt * step.rates.advection,
                  .diagnosis = diagnosis_,
                  .time_scheme = budgets_.time_scheme(),
                  .cycles = pressure_outcome().cycles};
    if (path_) {
      row.nusselt = nusselt_of(*path_, problem_.scalars.front().diffusivity, diagnosis_);
      outcome_.nusselt = row.nusselt;
    }
    row.resolution = resolution_->add(clock_.time, diagnosis_,
                                      path_ ? std::optional(row.nusselt) : std::nullopt);
    outcome_.resolution = row.resolution;
    if (steps_since_row_ > 0) {
      row.seconds_per_cell_step = seconds_since_row_ / static_cast<double>(steps_since_row_) /
                                  static_cast<double>(problem_.cells());
    }
    outcome_.time_scheme = row.time_scheme;
    seconds_since_row_ = 0.0;
    steps_since_row_ = 0;
    recorded_step_ = clock_.steps;
    row_step_ = recorded_step_ + series_steps();
    context_.recorder.record(row);
    if (context_.recorder.wants_statistics()) {
      record_statistics(false);
    }
  }

  [[nodiscard]] TimeTaken taken() const {
    const TimeTaken& earlier = context_.earlier;
    return {earlier.seconds + since_start_.seconds(), earlier.processes + 1};
  }

  [[nodiscard]] const CheckpointCadence& checkpoints() const {
    return context_.cadence.checkpoints;
  }

  [[nodiscard]] bool checkpoint_due() const {
    const CheckpointCadence& every = checkpoints();
    return clock_.steps >= saved_.next_step(every.steps) ||
           clock_.time >= saved_.next_time(every.time) ||
           (every.seconds > 0.0 && agreed(since_save_.seconds() >= every.seconds));
  }

  /// Steps are timed without it.
  void save_when_due() {
    if (!checkpoints().any() || !(at_end() || checkpoint_due())) {
      return;
    }
    integrator_->finish();
    seconds_before_pause_ += watch_.seconds();
    context_.recorder.checkpoint({.step = clock_.steps, .time = clock_.time, .taken = taken()},
                                 [this](StateWriter& to) { save(to); });
    record_statistics(false);
    saved_ = {clock_.steps, clock_.time};
    since_save_.restart();
    watch_.restart();
  }

  [[nodiscard]] const FieldCadence& fields() const { return context_.cadence.fields; }

  [[nodiscard]] bool fields_due() const {
    const FieldCadence& every = fields();
    return clock_.steps >= recorded_fields_.next_step(every.steps) ||
           clock_.time >= recorded_fields_.next_time(every.time) ||
           (every.seconds > 0.0 && agreed(since_fields_.seconds() >= every.seconds)) ||
           (at_end() && !interrupted_ && clock_.steps > recorded_fields_.step);
  }

  /// Steps are timed without it.
  void record_fields_when_due() {
    if (fields().any() && fields_due()) {
      integrator_->finish();
      seconds_before_pause_ += watch_.seconds();
      record_fields();
      watch_.restart();
    }
  }

  void record_fields() {
    const FieldMoment moment{field_count_, clock_.steps, clock_.time};
    if (plan_.copied_fields().empty()) {
      context_.recorder.fields(moment, {.grid = plan_.grid(), .flow = *integrator_});
    } else {
      context_.recorder.finish_reading();
      integrator_->copy_fields();
      context_.recorder.fields(moment, {.grid = plan_.grid(), .flow = copied_, .stays = true});
    }
    ++field_count_;
    recorded_fields_ = {clock_.steps, clock_.time};
    since_fields_.restart();
  }

  [[nodiscard]] RunProbes::Listener probe_listener() const {
    return [this](const ProbeReading& reading) { context_.recorder.probe(reading); };
  }

  /// Steps are timed without it.
  void read_probes_when_due() {
    if (probes_.due(clock_.steps, clock_.time)) {
      integrator_->finish();
      seconds_before_pause_ += watch_.seconds();
      probes_.record_due(clock_.steps, clock_.time, *integrator_, probe_listener());
      watch_.restart();
    }
  }

  /// The outcome of the last step, also where an earlier process took it.
  [[nodiscard]] poisson::Outcome pressure_outcome() const {
    const bool saved = context_.start != nullptr && clock_.steps == first_step_;
    return saved ? saved_solve_ : integrator_->pressure_outcome();
  }

  /// All that the rest of the run, and what it records, depend on. Times of steps are those of this
  /// process.
  void save(StateWriter& to) const {
    integrator_->save(to);
    early_end_.save(to);
    to.counts("run/steps",
              {recorded_step_, row_step_, checked_step_, snapshots_, checked_, passed_over_});
    to.counts("run/fields", {field_count_, recorded_fields_.step});
    to.numbers("run/fields_time", {recorded_fields_.time});
    PackedNumbers numbers;
    const poisson::Outcome solve = pressure_outcome();
    for (const double number : {static_cast<double>(solve.cycles), solve.residual,
                                solve.converged ? 1.0 : 0.0, cycles_}) {
      numbers.add(number);
    }
    numbers.add(start_);
    numbers.add(diagnosis_);
    budgets_.save(numbers);
    resolution_->save(numbers);
    nusselt_.save(numbers);
    to.numbers("run/history", numbers.values());
    statistics_.save(to);
    spectra_.save(to);
    probes_.save(to);
  }

  void restore(const StateReader& from) {
    integrator_->restore(from);
    clock_ = integrator_->progress();
    first_step_ = clock_.steps;
    early_end_.restore(from);
    std::vector<std::int64_t> steps = from.counts("run/steps");
    PackedNumbers numbers(from.numbers("run/history"));
    if (steps.size() == 5) {  // of versions that drew all pictures they were late with
      steps.push_back(0);
    }
    if (steps.size() != 6) {
      throw RuntimeFailure("the state of the run does not record how far it got");
    }
    std::size_t next = 0;
    for (std::int64_t* count :
         {&recorded_step_, &row_step_, &checked_step_, &snapshots_, &checked_, &passed_over_}) {
      *count = steps[next++];
    }
    saved_solve_.cycles = static_cast<int>(numbers.take());
    saved_solve_.residual = numbers.take();
    saved_solve_.converged = numbers.take() != 0.0;
    cycles_ = numbers.take();
    start_ = numbers.take_diagnosis();
    diagnosis_ = numbers.take_diagnosis();
    budgets_.restore(numbers);
    resolution_ = std::make_unique<ResolutionWatch>(problem_, plan_.grid(), start_);
    resolution_->restore(numbers);
    nusselt_.restore(numbers);
    statistics_.begin(clock_.time);
    statistics_.restore(from);
    spectra_.begin(clock_.time);
    spectra_.restore(from);
    probes_.begin(clock_.steps, clock_.time);
    probes_.restore(from);
    restore_fields(from);
  }

  /// Runs that recorded no fields before may begin to now.
  void restore_fields(const StateReader& from) {
    if (!from.has("run/fields")) {
      return;
    }
    const std::vector<std::int64_t> counts = from.counts("run/fields");
    if (counts.size() != 2) {
      throw RuntimeFailure("the state of the run does not record which fields it has written");
    }
    field_count_ = counts[0];
    recorded_fields_ = {counts[1], PackedNumbers(from.numbers("run/fields_time")).take()};
  }

  /// A run that goes on to a nearer end may be past several that were not due before: one stands
  /// for all of them.
  void snapshot_when_due() {
    if (snapshot_due()) {
      context_.recorder.snapshot({.number = snapshots_,
                                  .step = clock_.steps,
                                  .time = clock_.time,
                                  .scalars = resolution_->known_ranges()},
                                 plan_.grid(), *integrator_);
      ++snapshots_;
      const int last = context_.cadence.snapshots - 1;
      const auto passed = static_cast<std::int64_t>(progress_part() * last);
      passed_over_ = std::max(passed_over_, passed + 1 - snapshots_);
    }
  }

  const Plan& plan_;
  const Problem& problem_;
  const IntegrationContext& context_;
  std::unique_ptr<HeatPath> path_;
  NusseltWindow nusselt_;
  EarlyEnd early_end_;
  LargestSources sources_;
  RunStatistics statistics_;
  RunSpectra spectra_;
  RunProbes probes_;
  std::unique_ptr<Integrator> integrator_;
  CopiedFlow copied_;  ///< of the plan's copied_fields(), where it has any

  bool interrupted_ = false;
  StepRule rule_;
  StepState clock_;
  Diagnosis start_;      ///< of the flow that the run began with
  Diagnosis diagnosis_;  ///< of the last check
  BudgetHistory budgets_;
  std::unique_ptr<ResolutionWatch> resolution_;
  RunOutcome outcome_;
  double cycles_ = 0.0;
  std::int64_t checked_ = 0;
  std::int64_t snapshots_ = 0;
  std::int64_t passed_over_ = 0;  ///< pictures that were late when another one was drawn
  std::int64_t first_step_ = 0;   ///< of this process
  poisson::Outcome saved_solve_;

  LastDone saved_;
  LastDone recorded_fields_;
  std::int64_t field_count_ = 0;

  Stopwatch since_start_;  ///< of this process
  Stopwatch since_save_;
  Stopwatch since_fields_;
  Stopwatch since_begin_;
  Stopwatch watch_;
  CountedWork counted_{context_.machine};
  double seconds_before_pause_ = 0.0;
  std::int64_t timed_steps_ = 0;
  std::int64_t steps_since_row_ = 0;
  double seconds_since_row_ = 0.0;
  std::int64_t recorded_step_ = 0;
  std::int64_t row_step_ = 0;  ///< of the next row
  std::int64_t checked_step_ = 0;
};

/// Gives the root's times to all ranks, so that results are the same on all of them.
void agree_on(std::vector<double>& seconds, const Communicator& ranks) {
  ranks.broadcast(seconds.data(), seconds.size() * sizeof(double), 0);
}

void agree_on_times(RunOutcome& outcome, StageSamples& samples, const Communicator& ranks) {
  agree_on(outcome.seconds_per_step, ranks);
  agree_on(samples.cold_stages, ranks);
  for (std::vector<double>& part : samples.parts) {
    agree_on(part, ranks);
  }
  ranks.broadcast(&outcome.seconds_of_steps, sizeof(double), 0);
  ranks.broadcast(&outcome.seconds_of_statistics, sizeof(double), 0);
}

}  // namespace

RunResult run(const Plan& plan, const IntegrationContext& context) {
  const Problem& problem = plan.problem();
  Experiment experiment(problem.device, problem.threads, context);
  expect_ceilings(plan, experiment);
  auto integration = std::make_unique<Integration>(plan, context);
  RunOutcome outcome = integration->integrate();
  StageSamples samples;
  if (!context.interrupted()) {
    context.progress.update("timing the parts of a step", 0.0, 1.0);
    samples = time_stages(plan, integration->integrator(), outcome.mean_step());
  }
  agree_on_times(outcome, samples, context.ranks);
  RunResult result = result_of(integration->integrator(), outcome, samples, experiment);
  // The ceilings' own arrays take the room of the flow.
  integration.reset();
  experiment.finish(result.measurements);
  return result;
}

}  // namespace bankfull::convection
