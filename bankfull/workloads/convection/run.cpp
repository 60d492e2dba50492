#include "bankfull/workloads/convection/run.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/measured.hpp"
#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

constexpr std::int64_t rows_of_a_run = 200;

/// A flow that blows up is noticed within so many steps.
constexpr std::int64_t watch_steps = 50;

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
        force_(largest_force(problem_, plan.grid())),
        integrator_(make_integrator(plan)) {}

  RunOutcome integrate() {
    integrator_->load(initial_state(problem_, plan_.grid()));
    check_flow();
    choose_step();
    require_short_enough();
    context_.recorder.begin();
    record();
    snapshot_when_due();
    watch_.restart();
    since_begin_.restart();
    while (!at_end()) {
      advance_one_step();
      if (at_end() || due()) {
        time_steps();
        check_flow();
        if (choice_due()) {
          choose_step();
        }
        if (at_end() || record_due()) {
          record();
        }
        snapshot_when_due();
        watch_.restart();
      } else if (row_is_near()) {
        note_budgets();
      }
    }
    outcome_.steps = step_;
    outcome_.time = time_;
    outcome_.diagnosis = diagnosis_;
    outcome_.largest_force = force_;
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
    const bool steps_done = problem_.steps > 0 && step_ >= problem_.steps;
    return steps_done || (problem_.end_time > 0.0 && time_ >= problem_.end_time);
  }

  [[nodiscard]] std::int64_t series_steps() const {
    if (context_.cadence.series_steps > 0) {
      return context_.cadence.series_steps;
    }
    double steps = problem_.steps > 0 ? static_cast<double>(problem_.steps) : 0.0;
    if (problem_.end_time > 0.0) {
      const double by_time = problem_.end_time / dt_;
      steps = steps > 0.0 ? std::min(steps, by_time) : by_time;
    }
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps) / rows_of_a_run);
  }

  [[nodiscard]] bool record_due() const { return step_ - recorded_step_ >= series_steps(); }

  /// Whether a row may follow within the two steps whose budgets it tells. Where an end in time
  /// comes with them depends on their length: rather once more than too late.
  [[nodiscard]] bool row_is_near() const {
    return step_ + 2 >= recorded_step_ + series_steps() ||
           (problem_.steps > 0 && step_ + 2 >= problem_.steps) ||
           (problem_.end_time > 0.0 && time_ + 3.0 * dt_ >= problem_.end_time);
  }

  /// The flow between two rows, for the budgets of the next. Steps are timed without it.
  void note_budgets() {
    integrator_->finish();
    seconds_before_pause_ += watch_.seconds();
    budgets_.add(step_, time_, integrator_->diagnose());
    watch_.restart();
  }

  /// A flow that starts from rest is fast after some steps: at first each of them is looked at.
  [[nodiscard]] bool choice_due() const {
    const bool is_young = step_ < control_steps;
    return problem_.time_step.fixed == 0.0 && (is_young || step_ % control_steps == 0);
  }

  [[nodiscard]] bool due() const {
    return choice_due() || record_due() || step_ % watch_steps == 0 || snapshot_due();
  }

  [[nodiscard]] double progress_part() const {
    const double by_steps =
        problem_.steps > 0 ? static_cast<double>(step_) / static_cast<double>(problem_.steps) : 0.0;
    const double by_time = problem_.end_time > 0.0 ? time_ / problem_.end_time : 0.0;
    return std::min(1.0, std::max(by_steps, by_time));
  }

  /// For who watches: where the run is and how fast, all its pictures included.
  [[nodiscard]] std::string detail() const {
    const double seconds_per_step = since_begin_.seconds() / static_cast<double>(step_);
    return fmt::format("step {}, time {:.6g}, dt {:.3g}, {:.5g} steps/s, {:.3g} ns a cell and step",
                       step_, time_, dt_before_, 1.0 / seconds_per_step,
                       seconds_per_step / static_cast<double>(problem_.cells()) * 1e9);
  }

  [[nodiscard]] bool snapshot_due() const {
    if (context_.cadence.snapshots < 2) {
      return false;
    }
    const double part = static_cast<double>(snapshots_) / (context_.cadence.snapshots - 1);
    return at_end() || (snapshots_ < context_.cadence.snapshots - 1 && progress_part() >= part);
  }

  void advance_one_step() {
    double dt = dt_;
    // The last step takes what rounding has left too.
    constexpr double with_rounding = 1.0 + 1e-6;
    const bool is_last = problem_.end_time > 0.0 && problem_.end_time - time_ <= with_rounding * dt;
    if (is_last) {
      dt = problem_.end_time - time_;
    }
    for (const Stage& stage : stages_of(problem_.scheme, dt, dt_before_)) {
      integrator_->advance(stage);
    }
    dt_before_ = dt;
    time_ = is_last ? problem_.end_time : time_ + dt;
    ++step_;
    ++timed_steps_;
    context_.progress.update("integrating " + problem_.name, progress_part(), 1.0,
                             [this] { return detail(); });
    interrupted_ = context_.interrupted();
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
      throw RuntimeFailure(fmt::format(
          "the flow blew up: {} is no longer finite at step {}, time {:.6g}; use a shorter time "
          "step or more cells",
          name_of_broken(problem_, diagnosis_), step_, time_));
    }
    require_solved();
    budgets_.add(step_, time_, diagnosis_);
    cycles_ += integrator_->pressure_outcome().cycles;
    ++checked_;
    const double courant = dt_before_ * advective_rate(problem_, diagnosis_);
    outcome_.largest_courant = std::max(outcome_.largest_courant, courant);
  }

  /// A solver that stops at its rounding leaves no more than rounding behind.
  void require_solved() const {
    const poisson::Outcome solve = integrator_->pressure_outcome();
    if (!solve.converged && !check_divergence(plan_, diagnosis_, dt_before_, force_).passed()) {
      throw RuntimeFailure(fmt::format(
          "the pressure solver does not converge: it leaves a divergence of {:.3g} after {} cycles "
          "at step {}, time {:.6g}; use solver.pressure = \"direct\", or less stretching",
          diagnosis_.divergence, solve.cycles, step_, time_));
    }
  }

  /// Checks a fixed step; a chosen one is short enough.
  void require_short_enough() const {
    const double courant = dt_ * advective_rate(problem_, diagnosis_);
    const double limit = largest_courant(problem_.scheme);
    about("time.dt", [&] {
      require(!(courant > limit),
              fmt::format("a time step of {:g} makes a Courant number of {:.3g} with the "
                          "initial flow, beyond {:g}, where advection becomes unstable",
                          dt_, courant, limit),
              fmt::format("use at most {:.3g}, or let a Courant number choose it",
                          dt_ * limit / courant));
    });
  }

  void choose_step() { dt_ = step_length(problem_, plan_.grid(), diagnosis_, force_); }

  void record() {
    SeriesRow row{.step = step_,
                  .time = time_,
                  .dt = dt_before_ > 0.0 ? dt_before_ : dt_,
                  .diagnosis = diagnosis_,
                  .time_scheme = budgets_.time_scheme(),
                  .cycles = integrator_->pressure_outcome().cycles};
    row.courant = row.dt * advective_rate(problem_, diagnosis_);
    if (path_) {
      row.nusselt = nusselt_of(*path_, problem_.scalars.front().diffusivity, diagnosis_);
      outcome_.nusselt = row.nusselt;
    }
    if (steps_since_row_ > 0) {
      row.seconds_per_cell_step = seconds_since_row_ / static_cast<double>(steps_since_row_) /
                                  static_cast<double>(problem_.cells());
    }
    outcome_.time_scheme = row.time_scheme;
    seconds_since_row_ = 0.0;
    steps_since_row_ = 0;
    recorded_step_ = step_;
    context_.recorder.record(row);
  }

  void snapshot_when_due() {
    if (snapshot_due()) {
      context_.recorder.snapshot(snapshots_, time_, plan_.grid(), integrator_->state());
      ++snapshots_;
    }
  }

  const Plan& plan_;
  const Problem& problem_;
  const IntegrationContext& context_;
  std::unique_ptr<HeatPath> path_;
  Vector force_;
  std::unique_ptr<Integrator> integrator_;

  bool interrupted_ = false;
  std::int64_t step_ = 0;
  double time_ = 0.0;
  double dt_ = 0.0;
  double dt_before_ = 0.0;
  Diagnosis diagnosis_;
  BudgetHistory budgets_;
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
