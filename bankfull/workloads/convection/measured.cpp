#include "bankfull/workloads/convection/measured.hpp"

#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>

namespace bankfull::convection {
namespace {

constexpr int timed_stages = 7;

std::string name_of_grid(const Problem& problem) {
  return fmt::format("{}x{}x{}", problem.axes[0].cells, problem.axes[1].cells,
                     problem.axes[2].cells);
}

double rounding_of(Precision precision) {
  return precision == Precision::fp32 ? std::numeric_limits<float>::epsilon()
                                      : std::numeric_limits<double>::epsilon();
}

/// What one step's forces alone would do to the flow, and the pressure take away again: a pressure
/// of dt times force times length, whose rounding has a Laplacian of 4 / h^2. In a layer at rest it
/// is much more than what the flow's own velocity leaves.
double laplacian_of_pressure(const Problem& problem, const Diagnosis& flow, double dt,
                             const Vector& largest_force) {
  double pressure = flow.fastest * flow.fastest;
  double curvature = 0.0;
  const double turning = turning_rate(problem) * flow.fastest;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisCells& cells = problem.axes[axis];
    const std::vector<double> faces = cells.faces();
    const double narrowest = faces[1] - faces[0];  // cells gather at the ends
    curvature += cells.cells > 1 ? 4.0 / (narrowest * narrowest) : 0.0;
    double force = largest_force[axis] + turning;
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      const Diagnosis::OfScalar& scalar = flow.scalars[s];
      const double largest = std::max(std::abs(scalar.least), std::abs(scalar.most));
      force += std::abs(problem.scalars[s].buoyancy[axis]) * largest;
    }
    pressure += force * (cells.upper - cells.lower);
  }
  return dt * pressure * curvature;
}

/// Beyond it a flow is not one of these equations, however free of divergence.
Check check_courant(const Problem& problem, const RunOutcome& outcome) {
  return {.name = "largest Courant number",
          .value = outcome.largest_courant,
          .reference = 0.0,
          .tolerance = largest_courant(problem.scheme),
          .source = "stability of " + to_string(problem.scheme)};
}

}  // namespace

Check check_divergence(const Problem& problem, const Diagnosis& flow, double dt,
                       const Vector& largest_force) {
  constexpr double operations = 64.0;
  const bool direct = chosen_solver(problem) == PressureSolver::direct;
  const double velocities = operations * std::max(1.0, flow.courant_rate);
  const double rounding = rounding_of(problem.precision) *
                          (velocities + laplacian_of_pressure(problem, flow, dt, largest_force));
  return {.name = "divergence",
          .value = flow.divergence,
          .reference = 0.0,
          .tolerance = rounding + (direct ? 0.0 : problem.divergence),
          .source = direct ? "continuity, to the rounding of |u| / h and of the pressure"
                           : "continuity, to the tolerance asked for and to rounding"};
}

namespace {

std::vector<Figure> describe(const Problem& problem) {
  return {{.name = "case", .value = problem.name},
          {.name = "grid", .value = name_of_grid(problem)},
          {.name = "cells", .value = problem.cells()},
          {.name = "scheme", .value = to_string(problem.scheme)},
          {.name = "solver", .value = to_string(chosen_solver(problem))},
          {.name = "precision", .value = to_string(problem.precision)},
          {.name = "schedule", .value = to_string(problem.schedule)},
          {.name = "device", .value = to_string(problem.device)},
          {.name = "threads", .value = std::int64_t{problem.threads}},
          {.name = "memory", .value = integrator_bytes(problem), .unit = "B"}};
}

/// Stepping for less than a second on a CPU is a test, and the ceilings shall not take most of its
/// time; on a GPU they take milliseconds.
bool is_short(const Problem& problem, const RunOutcome& outcome) {
  if (problem.device.is_cuda()) {
    return false;
  }
  constexpr double shortest_measured = 1.0;
  const std::vector<double>& samples = outcome.seconds_per_step;
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  const auto count = static_cast<double>(std::max<std::size_t>(samples.size(), 1));
  return sum / count * static_cast<double>(outcome.steps) < shortest_measured;
}

/// What the memory sustains for each mix of reads and writes that a run has, measured once.
class Ceilings {
 public:
  Ceilings(const Problem& problem, int repeats, Progress& progress)
      : problem_(problem), repeats_(repeats), progress_(progress) {}

  /// None where nothing is stated to be moved.
  std::optional<Ceiling> operator()(const Traffic& traffic) {
    const std::optional<Mix> mix = mix_of(traffic);
    if (!mix) {
      return std::nullopt;
    }
    const std::string name = to_string(*mix);
    const auto known = by_mix_.find(name);
    if (known != by_mix_.end()) {
      return known->second;
    }
    progress_.update("measuring the ceiling", 0.0, 1.0);
    return by_mix_
        .emplace(name, measure_ceiling(problem_.device, problem_.threads, *mix, problem_.precision,
                                       1, repeats_))
        .first->second;
  }

 private:
  const Problem& problem_;
  int repeats_;
  Progress& progress_;
  std::map<std::string, Ceiling> by_mix_;
};

Measurement measurement(const std::string& name, const Problem& problem,
                        std::vector<double> seconds, const Traffic& traffic,
                        const std::string& model, Ceilings& ceilings) {
  Measurement m{.name = name,
                .parameters = {{.name = "part", .value = name},
                               {.name = "grid", .value = name_of_grid(problem)},
                               {.name = "precision", .value = to_string(problem.precision)},
                               {.name = "solver", .value = to_string(chosen_solver(problem))}},
                .seconds = summarise(std::move(seconds)),
                .traffic = traffic,
                .traffic_model = model,
                .ceiling = ceilings(traffic),
                .figures = {},
                .notes = {}};
  m.fits_cache = fits_last_cache(static_cast<double>(integrator_bytes(problem)),
                                 last_cache_bytes(problem.device));
  constexpr double nanoseconds = 1e9;
  m.figures.push_back(
      {.name = "ns_per_cell",
       .value = nanoseconds * m.seconds.median / static_cast<double>(problem.cells()),
       .unit = "ns"});
  return m;
}

std::string model_of(StagePart part, PressureSolver solver) {
  switch (part) {
    case StagePart::advance:
      return "4 words a field and cell: fields and tendencies, read, written";
    case StagePart::divergence:
      return "4 words a cell: three velocities read, one value written";
    case StagePart::projection:
      return "7 words a cell: pressure read, velocities read and written";
    case StagePart::ghosts:
      return "2 words a ghost cell";
    case StagePart::pressure:
      break;
  }
  return solver == PressureSolver::direct
             ? "the direct solver's own model"
             : "multigrid's own model, for the cycles of the last solve";
}

void add_figures(const Problem& problem, const RunOutcome& outcome, Measurement& step) {
  const auto add = [&](const std::string& name, double value, const std::string& unit = "") {
    step.figures.push_back({.name = name, .value = value, .unit = unit});
  };
  step.figures.push_back({.name = "steps", .value = outcome.steps});
  add("time", outcome.time);
  add("kinetic_energy", outcome.diagnosis.kinetic_energy);
  add("divergence", outcome.diagnosis.divergence);
  add("largest_courant", outcome.largest_courant);
  if (heat_path_of(problem)) {
    add("nusselt_lower", outcome.nusselt.lower);
    add("nusselt_upper", outcome.nusselt.upper);
    add("nusselt_volume", outcome.nusselt.volume);
  }
  if (chosen_solver(problem) == PressureSolver::multigrid) {
    add("cycles", outcome.mean_cycles);
  }
}

Traffic sum_of(const StageTraffic& parts) {
  Traffic sum;
  for (const Traffic& part : parts) {
    sum = sum + part;
  }
  return sum;
}

}  // namespace

PartSamples time_parts(const Problem& problem, Integrator& integrator, double dt) {
  const Stage stage = stages_of(TimeScheme::adams_bashforth, dt, dt).front();
  PartSamples samples;
  integrator.advance_timed(stage);
  for (int n = 0; n < timed_stages; ++n) {
    const StageSeconds seconds = integrator.advance_timed(stage);
    for (std::size_t part = 0; part < samples.parts.size(); ++part) {
      samples.parts[part].push_back(seconds[part]);
    }
  }
  for (int n = 0; n < timed_stages && chosen_solver(problem) == PressureSolver::multigrid; ++n) {
    integrator.forget_pressure();
    const StageSeconds seconds = integrator.advance_timed(stage);
    samples.cold_stages.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
    samples.cold_cycles = integrator.pressure_outcome().cycles;
    samples.cold_traffic = integrator.traffic();
  }
  return samples;
}

RunResult result_of(const Problem& problem, const RunOutcome& outcome, const PartSamples& parts,
                    const StageTraffic& traffic, Progress& progress) {
  RunResult result{.workload = "convection",
                   .problem = describe(problem),
                   .measurements = {},
                   .series = {},
                   .checks = {check_divergence(problem, outcome.diagnosis, outcome.mean_step(),
                                               outcome.largest_force),
                              check_courant(problem, outcome)},
                   .notes = {}};
  Ceilings ceilings(problem, is_short(problem, outcome) ? 1 : usual_ceiling_repeats, progress);
  if (is_short(problem, outcome)) {
    result.notes.emplace_back("a short run: its ceilings are measured briefly");
  }
  if (!outcome.seconds_per_step.empty()) {
    const auto stages = static_cast<double>(stages_of(problem.scheme, 1.0, 1.0).size());
    Measurement step = measurement("step", problem, outcome.seconds_per_step,
                                   stages * sum_of(traffic), "the sum of its parts", ceilings);
    step.name = fmt::format("{} {} step", problem.name, name_of_grid(problem));
    add_figures(problem, outcome, step);
    if (!outcome.pressure.converged) {
      step.notes.push_back(fmt::format("the last pressure solve stopped at {:.3g} after {} cycles",
                                       outcome.pressure.residual, outcome.pressure.cycles));
    }
    result.measurements.push_back(std::move(step));
  }
  if (problem.schedule == Schedule::reference) {
    return result;
  }
  for (std::size_t n = 0; n < parts.parts.size(); ++n) {
    const auto part = static_cast<StagePart>(n);
    result.measurements.push_back(measurement(to_string(part), problem, parts.parts[n], traffic[n],
                                              model_of(part, chosen_solver(problem)), ceilings));
  }
  if (!parts.cold_stages.empty()) {
    Measurement cold = measurement("cold stage", problem, parts.cold_stages,
                                   sum_of(parts.cold_traffic), "the sum of its parts", ceilings);
    cold.figures.push_back({.name = "cycles", .value = std::int64_t{parts.cold_cycles}});
    result.measurements.push_back(std::move(cold));
  }
  return result;
}

}  // namespace bankfull::convection
