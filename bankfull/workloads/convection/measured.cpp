#include "bankfull/workloads/convection/measured.hpp"

#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/traffic.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace bankfull::convection {
namespace {

constexpr int timed_stages = 7;

/// Whose rounding may add up in a divergence.
constexpr double operations = 64.0;

std::string name_of_grid(const Problem& problem) {
  return fmt::format("{}x{}x{}", problem.axes[0].cells, problem.axes[1].cells,
                     problem.axes[2].cells);
}

double rounding_of(Precision precision) {
  return precision == Precision::fp32 ? std::numeric_limits<float>::epsilon()
                                      : std::numeric_limits<double>::epsilon();
}

/// 4 / h^2 of the narrowest cells, which gather at the ends, over all axes: the largest eigenvalue
/// of the Laplacian.
double largest_curvature(const Problem& problem) {
  double curvature = 0.0;
  for (const AxisCells& cells : problem.axes) {
    const std::vector<double> faces = cells.faces();
    const double narrowest = faces[1] - faces[0];
    curvature += cells.cells > 1 ? 4.0 / (narrowest * narrowest) : 0.0;
  }
  return curvature;
}

/// The longest side of the box that has neighbours along it.
double longest_side(const Problem& problem) {
  double longest = 0.0;
  for (const AxisCells& cells : problem.axes) {
    longest = std::max(longest, cells.cells > 1 ? cells.upper - cells.lower : 0.0);
  }
  return longest;
}

/// The largest value of a scalar that the pressure has to do with. Along axes with walls that is
/// nothing of what all of it has in common, as it is stored, and more where it has gone far from
/// what is left out of its buoyancy.
double largest_acting(const Plan& plan, std::size_t number, const Diagnosis::OfScalar& scalar,
                      bool periodic) {
  const auto furthest_from = [&scalar](double value) {
    return std::max(std::abs(scalar.min - value), std::abs(scalar.max - value));
  };
  if (periodic) {
    return furthest_from(0.0);
  }
  const double middle = middle_value(plan.stepped(), plan.stepped().scalars[number]);
  return std::max(furthest_from(scalar.reference), furthest_from(scalar.reference + middle));
}

/// What one step's forces and advection alone would do to the flow, and the pressure take away
/// again: a pressure of dt times acceleration times length, whose rounding has a Laplacian of
/// 4 / h^2. In a layer at rest, or in one that is much longer than its cells are thick, it is much
/// more than what the flow's own velocity leaves.
double laplacian_of_pressure(const Plan& plan, const Diagnosis& flow, double dt,
                             const Vector& largest_force) {
  const Problem& problem = plan.problem();
  const double viscous = problem.viscosity * largest_curvature(problem);
  double pressure =
      flow.fastest * std::min(1.0 / dt, flow.courant_rate + viscous) * longest_side(problem);
  const double turning = turning_rate(problem) * flow.fastest;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisCells& cells = problem.axes[axis];
    double force = largest_force[axis] + turning;
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      const Diagnosis::OfScalar& scalar = flow.scalars[s];
      force += std::abs(problem.scalars[s].buoyancy[axis]) *
               largest_acting(plan, s, scalar, cells.periodic);
    }
    pressure += force * (cells.upper - cells.lower);
  }
  return dt * pressure * largest_curvature(problem);
}

/// By how much the rounding of products with eigenvectors is above that of transforms: with the
/// square root of the ratio of widths along each axis that they stand for (ADR 0017).
double rounding_of_products(const Plan& plan) {
  if (plan.solver() != PressureSolver::direct || plan.problem().schedule == Schedule::reference) {
    return 1.0;
  }
  const poisson::Domain domain = plan.grid().domain();
  return std::sqrt(poisson::width_ratio(domain.j) * poisson::width_ratio(domain.k));
}

/// The largest value of one component of the velocity, read piece by piece.
double largest_value(const FlowReader& flow, const Grid& grid, int field) {
  const Extents n = grid.extents();
  const std::int64_t planes = planes_of_a_piece(n);
  std::vector<double> values;
  double largest = 0.0;
  for (std::int64_t i = 0; i < n.ni; i += planes) {
    const Box piece{i, std::min(n.ni, i + planes), 0, n.nj, 0, n.nk};
    values.resize(static_cast<std::size_t>(piece.extents().count()));
    flow.read(field, piece, values.data());
    for (const double value : values) {
      largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

/// Names of the scalars whose advection is bounded, and not without numerical diffusion.
std::string names_of_bounded(const Problem& problem) {
  std::string names;
  for (const int scalar : bounded_scalars(problem)) {
    names += (names.empty() ? "" : ",") + problem.scalars[static_cast<std::size_t>(scalar)].name;
  }
  return names;
}

std::vector<Figure> describe(const Plan& plan) {
  const Problem& problem = plan.problem();
  std::vector<Figure> facts{
      {.name = "case", .value = problem.name},
      {.name = "grid", .value = name_of_grid(problem)},
      {.name = "cells", .value = problem.cells()},
      {.name = "scheme", .value = to_string(problem.scheme)},
      {.name = "implicit_diffusion", .value = to_string(problem.implicit_diffusion)},
      {.name = problem.time_step.fixed > 0.0 ? "dt" : "cfl",
       .value =
           problem.time_step.fixed > 0.0 ? problem.time_step.fixed : problem.time_step.courant},
      {.name = "solver", .value = to_string(plan.solver())},
      {.name = "precision", .value = to_string(problem.precision)},
      {.name = "schedule", .value = to_string(problem.schedule)},
      {.name = "device", .value = to_string(problem.device)},
      {.name = "threads", .value = std::int64_t{problem.threads}},
      {.name = "memory", .value = plan.footprint().of_work(), .unit = "B"}};
  for (const Scalar& scalar : plan.stepped().scalars) {
    if (scalar.reference != 0.0) {
      facts.push_back({.name = scalar.name + "_reference", .value = scalar.reference});
    }
  }
  if (const std::string bounded = names_of_bounded(problem); !bounded.empty()) {
    facts.push_back({.name = "bounded_scalars", .value = bounded});
  }
  return facts;
}

/// The measurement of a part, with what all of them state.
Measurement with_parameters(const Plan& plan, const std::string& part, Measurement m) {
  const Problem& problem = plan.problem();
  m.parameters = {{.name = "part", .value = part},
                  {.name = "grid", .value = name_of_grid(problem)},
                  {.name = "precision", .value = to_string(problem.precision)},
                  {.name = "solver", .value = to_string(plan.solver())}};
  constexpr double nanoseconds = 1e9;
  m.figures.push_back(
      {"ns_per_cell", nanoseconds * m.seconds.median / static_cast<double>(problem.cells()), "ns"});
  return m;
}

/// The energy and scalars of the final flow and their budgets, as series.csv names them.
void add_budgets(const Problem& problem, const RunOutcome& outcome, Measurement& step) {
  const auto add = [&](const std::string& name, double value) {
    step.figures.push_back({name, value, ""});
  };
  const Diagnosis& flow = outcome.diagnosis;
  add("kinetic_energy", flow.kinetic_energy);
  add("dissipation", flow.dissipation);
  add("buoyancy_work", flow.buoyancy_work);
  add("wall_work", flow.wall_work);
  add("force_work", flow.force_work);
  if (outcome.time_scheme) {
    add("time_scheme_work", outcome.time_scheme->energy);
  }
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    const std::string& name = problem.scalars[s].name;
    add(name + "_mean", flow.scalars[s].mean);
    add(name + "_least", flow.scalars[s].min);
    add(name + "_most", flow.scalars[s].max);
    add(name + "_mean_square", flow.scalars[s].mean_square);
    add(name + "_dissipation", flow.scalars[s].dissipation);
    add(name + "_wall_production", flow.scalars[s].wall_production);
    add(name + "_source_production", flow.scalars[s].source_production);
    if (outcome.time_scheme) {
      add(name + "_time_scheme_production", outcome.time_scheme->scalars[s]);
      if (problem.scalars[s].advection == Advection::bounded) {
        add(name + "_numerical_dissipation", outcome.time_scheme->numerical_dissipation[s]);
      }
    }
    for (const NamedNumber& number : scalar_flux_figures(problem, s, flow)) {
      if (number.value) {
        add(name + number.name, *number.value);
      }
    }
  }
}

/// What series.csv has no column for.
void add_averages(const RunOutcome& outcome, Measurement& step) {
  if (!outcome.averages) {
    return;
  }
  const NusseltAverages& averages = *outcome.averages;
  const auto add = [&](const std::string& name, double value) {
    step.figures.push_back({name, value, ""});
  };
  add("nusselt_lower_average", averages.mean.lower);
  add("nusselt_upper_average", averages.mean.upper);
  add("nusselt_volume_average", averages.mean.volume);
  add("nusselt_thermal_average", averages.mean.thermal);
  if (averages.mean.kinetic) {
    add("nusselt_kinetic_average", *averages.mean.kinetic);
  }
  if (averages.error) {
    add("nusselt_error", *averages.error);
  }
  if (averages.disagreement) {
    add("nusselt_disagreement", *averages.disagreement);
    const std::string window = averages.settled() ? "long-enough" : "too-short";
    step.figures.push_back({"nusselt_window", window, ""});
  }
}

void add_clock(const StepState& progress, Measurement& step) {
  step.figures.insert(step.figures.end(),
                      {{.name = "steps", .value = progress.steps},
                       {.name = "time", .value = progress.time},
                       {.name = "dt", .value = progress.dt},
                       {.name = "dt_limit", .value = to_string(progress.limit)},
                       {.name = "courant", .value = progress.dt * progress.rates.advection},
                       {.name = "largest_courant", .value = progress.largest_courant}});
}

/// docs/convection.md has them all, and a test compares.
void add_figures(const Plan& plan, const RunOutcome& outcome, Measurement& step) {
  const auto add = [&](const std::string& name, const std::optional<double>& value) {
    if (value) {
      step.figures.push_back({name, *value, ""});
    }
  };
  add_clock(outcome.progress, step);
  step.figures.push_back({.name = "end", .value = to_string(outcome.end)});
  add("run_seconds", outcome.taken.seconds);
  step.figures.push_back({.name = "processes", .value = outcome.taken.processes});
  add_budgets(plan.problem(), outcome, step);
  add("divergence", outcome.diagnosis.divergence);
  add("max_u", outcome.diagnosis.fastest_along[0]);
  add("max_v", outcome.diagnosis.fastest_along[1]);
  add("max_w", outcome.diagnosis.fastest_along[2]);
  if (heat_path_of(plan.problem())) {
    add("nusselt_lower", outcome.nusselt.lower);
    add("nusselt_upper", outcome.nusselt.upper);
    add("nusselt_volume", outcome.nusselt.volume);
    add("nusselt_thermal", outcome.nusselt.thermal);
    add("nusselt_kinetic", outcome.nusselt.kinetic);
  }
  add("reynolds", reynolds_number(plan.problem(), outcome.diagnosis));
  if (outcome.seconds_of_statistics > 0.0 && outcome.seconds_of_steps > 0.0) {
    add("statistics_percent", 100.0 * outcome.seconds_of_statistics / outcome.seconds_of_steps);
  }
  add_averages(outcome, step);
  add("cell_peclet", outcome.resolution.cell_peclet);
  add("cell_over_gradients", outcome.resolution.cell_over_gradients);
  add("cell_over_kolmogorov", outcome.resolution.cell_over_kolmogorov);
  add("cell_over_batchelor", outcome.resolution.cell_over_batchelor);
  if (plan.solver() == PressureSolver::multigrid) {
    add("cycles", outcome.mean_cycles);
  }
}

/// What has come true of Nusselt numbers; "" where other things ended the run.
std::string why_early(RunEnd end, const Until& until) {
  switch (end) {
    case RunEnd::steady:
      return fmt::format("its Nusselt numbers changed by {:g} at most over the last {:g}",
                         until.steady, until.window);
    case RunEnd::converged:
      return fmt::format(
          "the averages of its Nusselt numbers have a standard error of {:g} at most",
          until.converged);
    default:
      return "";
  }
}

Measurement step_of(const Integrator& flow, const RunOutcome& outcome,
                    const Experiment& experiment) {
  const Plan& plan = flow.plan();
  const Problem& problem = plan.problem();
  const StageWork work =
      flow.work_with(at_median(outcome.seconds_per_step, outcome.cycles_per_solve));
  Measurement step = with_parameters(
      plan, "step",
      experiment.measurement(
          fmt::format("{} {} step", problem.name, name_of_grid(problem)), outcome.seconds_per_step,
          work_of_steps(plan, work, 1.0, outcome.part_ahead), Repeats::different));
  add_figures(plan, outcome, step);
  experiment.add_energy(outcome.counters, step);
  if (!outcome.pressure.converged) {
    step.notes.push_back(fmt::format("the last pressure solve stopped at {:.3g} after {} cycles",
                                     outcome.pressure.residual, outcome.pressure.cycles));
  }
  return step;
}

void add_parts(const Integrator& flow, const StageSamples& samples, const Experiment& experiment,
               std::vector<Measurement>& measurements) {
  constexpr auto pressure = static_cast<std::size_t>(StagePart::pressure);
  const Plan& plan = flow.plan();
  const StageWork work = flow.work_with(at_median(samples.parts[pressure], samples.cycles));
  for (std::size_t n = 0; n < samples.parts.size(); ++n) {
    const std::string part = to_string(static_cast<StagePart>(n));
    measurements.push_back(
        with_parameters(plan, part, experiment.measurement(part, samples.parts[n], work[n])));
  }
  if (samples.cold_stages.empty()) {
    return;
  }
  const double cycles = at_median(samples.cold_stages, samples.cold_cycles);
  Measurement cold = with_parameters(
      plan, "cold stage",
      experiment.measurement("cold stage", samples.cold_stages, sum_of(flow.work_with(cycles))));
  cold.figures.push_back({"cycles", std::int64_t{std::lround(cycles)}});
  measurements.push_back(std::move(cold));
}

}  // namespace

Check check_divergence(const Plan& plan, const Diagnosis& flow, const StepState& progress,
                       const Vector& largest_force) {
  const Problem& problem = plan.problem();
  const bool direct = plan.solver() == PressureSolver::direct;
  const double velocities = operations * std::max(1.0, flow.courant_rate);
  const double rounding =
      rounding_of(problem.precision) *
      (velocities + rounding_of_products(plan) *
                        laplacian_of_pressure(plan, flow, progress.pace, largest_force));
  const double most = max_divergence / progress.pace;  // rounding that large spoils a flow as well
  return {
      .name = "divergence",
      .value = flow.divergence,
      .tolerance = std::min(rounding, most) + (direct ? 0.0 : problem.divergence / progress.weight),
      .source = direct ? "continuity, to the rounding of |u| / h and of the pressure"
                       : "continuity, to the tolerance asked for and to rounding"};
}

double rounding_of_projection(const Plan& plan, const FlowReader& flow) {
  const Problem& problem = plan.problem();
  double rate = 0.0;
  double potential = 0.0;
  for (const int n : storage_axes) {
    const GridAxis& axis = plan.grid().axis(n);
    const double largest = largest_value(flow, plan.grid(), n);
    rate += largest / *std::min_element(axis.cells.widths.begin(), axis.cells.widths.end());
    potential += largest * axis.length();
  }
  return rounding_of(problem.precision) *
         (operations * rate + potential * largest_curvature(problem));
}

StageSamples time_stages(const Plan& plan, Integrator& integrator, double dt) {
  const Stage stage = stages_of(TimeScheme::adams_bashforth, dt, dt).at[0];
  StageSamples samples;
  integrator.advance_timed(stage);
  for (int n = 0; n < timed_stages; ++n) {
    const StageSeconds seconds = integrator.advance_timed(stage);
    for (std::size_t part = 0; part < samples.parts.size(); ++part) {
      samples.parts[part].push_back(seconds[part]);
    }
    samples.cycles.push_back(integrator.pressure_outcome().cycles);
  }
  for (int n = 0; n < timed_stages && plan.solver() == PressureSolver::multigrid; ++n) {
    integrator.forget_pressure();
    const StageSeconds seconds = integrator.advance_timed(stage);
    samples.cold_stages.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
    samples.cold_cycles.push_back(integrator.pressure_outcome().cycles);
  }
  return samples;
}

void expect_ceilings(const Plan& plan, Experiment& experiment) {
  if (plan.problem().schedule == Schedule::reference) {
    return;
  }
  const Work advance = stage_work(plan, {}).at(static_cast<std::size_t>(StagePart::advance));
  if (const std::optional<Mix> mix = mix_of(advance.traffic)) {
    experiment.expect(*mix, advance.precision, advance.working_set_bytes);
  }
}

RunResult result_of(const Integrator& flow, const RunOutcome& outcome, const StageSamples& samples,
                    const Experiment& experiment) {
  constexpr double with_rounding = 1.0 + 1e-12;
  const Plan& plan = flow.plan();
  const Problem& problem = plan.problem();
  RunResult result;
  result.workload = "convection";
  result.problem = describe(plan);
  result.checks = {
      check_divergence(plan, outcome.diagnosis, outcome.progress, outcome.largest_force),
      // Beyond these a flow is not one of these equations, however free of divergence.
      {.name = "largest Courant number",
       .value = outcome.progress.largest_courant,
       .tolerance = problem.time_step.fixed > 0.0 ? largest_courant(problem.scheme)
                                                  : with_rounding * problem.time_step.courant,
       .source = problem.time_step.fixed > 0.0 ? "stability of " + to_string(problem.scheme)
                                               : "the Courant number asked for"},
      // Chosen steps are short enough by themselves: this one shows whether that was so.
      {.name = "largest Courant number at a step's end",
       .value = outcome.progress.largest_courant_at_end,
       .tolerance = 2.0 * (problem.time_step.fixed > 0.0 ? largest_courant(problem.scheme)
                                                         : problem.time_step.courant),
       .source = "no flow gains so much speed within a step"},
      {.name = "longest step, of the longest stable one",
       .value = 1.0 / outcome.progress.min_margin,
       .tolerance = 1.0,
       .source = "stability of " + to_string(problem.scheme) + " for all waves and diffusion" +
                 (bounded_scalars(problem).empty() ? "" : ", and bounded scalars")}};
  if (outcome.first_step > 0) {
    result.notes.push_back(fmt::format(
        "an earlier run was continued from its step {}; times are of the steps since then, but "
        "the run took {} in all of its {} processes",
        outcome.first_step, format_seconds(outcome.taken.seconds), outcome.taken.processes));
  }
  if (const std::string why = why_early(outcome.end, problem.until); !why.empty()) {
    result.notes.push_back("ended before its time, as " + why);
  }
  result.resolution = outcome.resolution_checks;
  if (outcome.averages) {
    result.attachment = *outcome.averages;
    for (const Check& check : checks_of(*outcome.averages)) {
      result.resolution.push_back(check);
    }
  }
  if (!outcome.seconds_per_step.empty()) {
    result.measurements.push_back(step_of(flow, outcome, experiment));
  }
  const bool has_parts = !samples.parts.front().empty();
  if (plan.problem().schedule == Schedule::reference || !has_parts) {
    return result;
  }
  add_parts(flow, samples, experiment, result.measurements);
  return result;
}

}  // namespace bankfull::convection
