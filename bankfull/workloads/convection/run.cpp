#include "bankfull/workloads/convection/run.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/measured.hpp"
#include "bankfull/workloads/convection/nusselt_window.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace bankfull::convection {
namespace {

constexpr std::int64_t rows_of_a_run = 200;

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
        sources_(largest_sources(problem_, plan.grid())),
        integrator_(make_integrator(plan)) {}

  RunOutcome integrate() {
    const InitialFlow initial(problem_, plan_.grid());
    integrator_->load(initial);
    require_projected(initial);
    resolution_ =
        std::make_unique<ResolutionWatch>(problem_, plan_.grid(), integrator_->diagnose());
    check_flow();
    set_rule();
    require_short_enough();
    context_.recorder.begin();
    record();
    snapshot_when_due();
    watch_.restart();
    since_begin_.restart();
    while (!at_end()) {
      advance_some_steps();
      plan_row();
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
    }
    outcome_.progress = clock_;
    outcome_.resolution_checks = resolution_->checks();
    outcome_.averages = nusselt_.averages();
    outcome_.diagnosis = diagnosis_;
    outcome_.largest_force = sources_.force;
    outcome_.pressure = integrator_->pressure_outcome();
    outcome_.mean_cycles = checked_ > 0 ? cycles_ / static_cast<double>(checked_) : 0.0;
    return outcome_;
  }

  Integrator& integrator() { return *integrator_; }

 private:
  [[nodiscard]] bool at_end() const {
    if (interrupted_) {
      return true;
    }
    const bool steps_done = problem_.steps > 0 && clock_.steps >= problem_.steps;
    return steps_done || (problem_.end_time > 0.0 && clock_.time >= problem_.end_time);
  }

  [[nodiscard]] std::int64_t series_steps() const {
    if (context_.cadence.series_steps > 0) {
      return context_.cadence.series_steps;
    }
    double steps = problem_.steps > 0 ? static_cast<double>(problem_.steps) : 0.0;
    if (problem_.end_time > 0.0) {
      const double by_time = problem_.end_time / told_step().dt;
      steps = steps > 0.0 ? std::min(steps, by_time) : by_time;
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps) / rows_of_a_run);
  }

  /// The last step, or the first while there was none.
  [[nodiscard]] StepState told_step() const {
    return clock_.steps > 0 ? clock_ : integrator_->upcoming();
  }

  /// As the integrator will choose it, but for what internal waves and bounded scalars ask for.
  [[nodiscard]] StepState first_step() const {
    return next_step(rule_, clock_, {.advection = diagnosis_.courant_rate});
  }

  [[nodiscard]] bool record_due() const { return clock_.steps >= row_step_; }

  /// The step of the next row, that of an end in time left aside.
  [[nodiscard]] std::int64_t next_row_step() const {
    return problem_.steps > 0 ? std::min(row_step_, problem_.steps) : row_step_;
  }

  /// Whether a row may follow within the two steps whose budgets it tells.
  [[nodiscard]] bool row_is_near() const {
    const bool ends = problem_.end_time > 0.0 &&
                      least_steps_to(rule_, clock_, problem_.end_time) <= steps_of_budgets;
    return ends || clock_.steps + steps_of_budgets >= next_row_step();
  }

  /// Longer steps make a row due earlier, but never before its budgets can be told.
  void plan_row() {
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

  [[nodiscard]] bool due() const {
    return record_due() || clock_.steps - checked_step_ >= watch_steps || snapshot_due();
  }

  /// Steps until there may be something to do, at least one.
  [[nodiscard]] std::int64_t steps_ahead() const {
    std::int64_t last = std::min(next_row_step() - steps_of_budgets, checked_step_ + watch_steps);
    if (problem_.steps > 0) {
      last = std::min(last, next_snapshot_step());
    }
    std::int64_t steps = last - clock_.steps;
    if (problem_.end_time > 0.0) {
      const double picture = next_snapshot_part() * problem_.end_time;
      steps = std::min({steps, least_steps_to(rule_, clock_, picture),
                        least_steps_to(rule_, clock_, problem_.end_time) - steps_of_budgets});
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
    const double seconds_per_step = since_begin_.seconds() / static_cast<double>(clock_.steps);
    return fmt::format("step {}, time {:.6g}, dt {:.3g}, {:.5g} steps/s, {:.3g} ns a cell and step",
                       clock_.steps, clock_.time, clock_.dt, 1.0 / seconds_per_step,
                       seconds_per_step / static_cast<double>(problem_.cells()) * 1e9);
  }

  /// Where the run is when the next picture but the last is due; 1: there is none.
  [[nodiscard]] double next_snapshot_part() const {
    const int pictures = context_.cadence.snapshots;
    return pictures < 2 || snapshots_ >= pictures - 1
               ? 1.0
               : static_cast<double>(snapshots_) / (pictures - 1);
  }

  [[nodiscard]] std::int64_t next_snapshot_step() const {
    return static_cast<std::int64_t>(
        std::ceil(next_snapshot_part() * static_cast<double>(problem_.steps)));
  }

  [[nodiscard]] bool snapshot_due() const {
    return context_.cadence.snapshots >= 2 &&
           (at_end() || (next_snapshot_part() < 1.0 && progress_part() >= next_snapshot_part()));
  }

  /// Launches steps until there may be something to do, or somebody should hear from the run.
  void advance_some_steps() {
    const Stopwatch launching;
    const std::int64_t steps = std::min(steps_ahead(), steps_between_looks());
    for (std::int64_t n = 0; n < steps && !interrupted_; ++n) {
      integrator_->step();
      ++timed_steps_;
      interrupted_ = context_.interrupted();
      if (launching.seconds() > seconds_between_looks) {
        break;
      }
    }
    clock_ = integrator_->progress();
    context_.progress.update("integrating " + problem_.name, progress_part(), 1.0,
                             [this] { return detail(); });
  }

  /// As many as took the time between two looks; a device may queue more than it has done.
  [[nodiscard]] std::int64_t steps_between_looks() const {
    if (clock_.steps == 0) {
      return 1;
    }
    const double seconds_per_step = since_begin_.seconds() / static_cast<double>(clock_.steps);
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(seconds_between_looks / seconds_per_step));
  }

  void time_steps() {
    integrator_->finish();
    const double seconds = seconds_before_pause_ + watch_.seconds();
    seconds_before_pause_ = 0.0;
    if (timed_steps_ > 0) {
      seconds_since_row_ += seconds;
      steps_since_row_ += timed_steps_;
      outcome_.seconds_per_step.push_back(seconds / static_cast<double>(timed_steps_));
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
    cycles_ += integrator_->pressure_outcome().cycles;
    ++checked_;
    checked_step_ = clock_.steps;
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
    const bool pressure = !integrator_->pressure_outcome().converged;
    return pressure && problem_.time_step.fixed == 0.0
               ? fmt::format("the pressure solver does not converge: {}", other_solver)
               : "use a shorter time step or more cells";
  }

  /// A solver that stops at its rounding leaves no more than rounding behind.
  void require_solved() const {
    const poisson::Outcome solve = integrator_->pressure_outcome();
    if (clock_.steps > 0 && !solve.converged &&
        !check_divergence(plan_, diagnosis_, clock_, sources_.force).passed()) {
      throw RuntimeFailure(fmt::format(
          "the pressure solver does not converge: it leaves a divergence of {:.3g} after {} cycles "
          "at step {}, time {:.6g}; {}",
          diagnosis_.divergence, solve.cycles, clock_.steps, clock_.time, other_solver));
    }
  }

  /// A fixed step that was short enough may not be so for what the flow has become; a little beyond
  /// stability, which the run's checks tell of, is not yet lost.
  void require_within_stability() const {
    constexpr double lost = 0.5;
    if (clock_.least_margin < lost) {
      throw RuntimeFailure(fmt::format(
          "the time step of {:g} became unstable: at most {:.3g} of it is stable{}, with a Courant "
          "number of up to {:.3g} by step {}, time {:.6g}; shorten time.dt, or let time.cfl choose "
          "it",
          problem_.time_step.fixed, clock_.least_margin,
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
    const StepState told = told_step();
    SeriesRow row{.step = clock_.steps,
                  .time = clock_.time,
                  .dt = told.dt,
                  .limit = told.limit,
                  .courant = told.dt * told.rates.advection,
                  .diagnosis = diagnosis_,
                  .time_scheme = budgets_.time_scheme(),
                  .cycles = integrator_->pressure_outcome().cycles};
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
  }

  void snapshot_when_due() {
    if (snapshot_due()) {
      context_.recorder.snapshot(snapshots_, clock_.time, plan_.grid(), *integrator_);
      ++snapshots_;
    }
  }

  const Plan& plan_;
  const Problem& problem_;
  const IntegrationContext& context_;
  std::unique_ptr<HeatPath> path_;
  NusseltWindow nusselt_;
  LargestSources sources_;
  std::unique_ptr<Integrator> integrator_;

  bool interrupted_ = false;
  StepRule rule_;
  StepState clock_;
  Diagnosis diagnosis_;
  BudgetHistory budgets_;
  std::unique_ptr<ResolutionWatch> resolution_;
  RunOutcome outcome_;
  double cycles_ = 0.0;
  std::int64_t checked_ = 0;
  std::int64_t snapshots_ = 0;

  Stopwatch since_begin_;
  Stopwatch watch_;
  double seconds_before_pause_ = 0.0;
  std::int64_t timed_steps_ = 0;
  std::int64_t steps_since_row_ = 0;
  double seconds_since_row_ = 0.0;
  std::int64_t recorded_step_ = 0;
  std::int64_t row_step_ = 0;  ///< of the next row
  std::int64_t checked_step_ = 0;
};

}  // namespace

RunResult run(const Plan& plan, const IntegrationContext& context) {
  const Problem& problem = plan.problem();
  Experiment experiment(problem.device, problem.threads, context);
  expect_ceilings(plan, experiment);
  auto integration = std::make_unique<Integration>(plan, context);
  const RunOutcome outcome = integration->integrate();
  StageSamples samples{.work = integration->integrator().work()};
  if (!context.interrupted()) {
    context.progress.update("timing the parts of a step", 0.0, 1.0);
    samples = time_stages(plan, integration->integrator(), outcome.mean_step());
  }
  RunResult result = result_of(plan, outcome, samples, experiment);
  // The ceilings' own arrays take the room of the flow.
  integration.reset();
  experiment.finish(result.measurements);
  return result;
}

}  // namespace bankfull::convection
