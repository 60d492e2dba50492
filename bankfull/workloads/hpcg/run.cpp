#include "bankfull/workloads/hpcg/run.hpp"

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/workloads/hpcg/check_problem.hpp"
#include "bankfull/workloads/hpcg/flops.hpp"
#include "bankfull/workloads/hpcg/phases.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::hpcg {
namespace {

constexpr const char* rules =
    "M. Heroux, J. Dongarra and P. Luszczek, HPCG Technical Specification, SAND2013-8752, and the "
    "official program, version 3.1";

/// A run of less than a second is a test, and the ceiling shall not take most of its time.
bool is_short(const Problem& problem) { return problem.seconds < 1.0; }

int ceiling_repeats(const Problem& problem) {
  return is_short(problem) ? 1 : usual_ceiling_repeats;
}

/// Collective: what the memory of these ranks sustains for a pass that mostly reads. All measure at
/// once; their rates add up.
Ceiling ceiling_of(const Problem& problem, const Communicator& ranks, Progress& progress) {
  progress.update("measuring the ceiling", 0.0, 1.0);
  ranks.barrier();
  const int sharing = sharers_of_device(ranks, problem.device);
  Ceiling ceiling = measure_ceiling(problem.device, problem.threads, most_mix_reads,
                                    Precision::fp64, sharing, ceiling_repeats(problem));
  ceiling.bytes_per_second = ranks.sum(ceiling.bytes_per_second);
  ceiling.working_set_bytes = ranks.sum(ceiling.working_set_bytes);
  if (ranks.size() > 1) {
    ceiling.name += fmt::format(", on {} ranks at once", ranks.size());
  }
  return ceiling;
}

std::vector<Figure> describe(const Problem& problem, const Outcome& outcome,
                             const PhaseResults& results) {
  return {{.name = "local", .value = to_string(problem.local)},
          {.name = "global", .value = to_string(outcome.global)},
          {.name = "process_grid", .value = to_string(outcome.process_grid)},
          {.name = "ranks", .value = std::int64_t{outcome.ranks}},
          {.name = "threads", .value = std::int64_t{outcome.threads}},
          {.name = "device", .value = to_string(problem.device)},
          {.name = "variant", .value = to_string(problem.variant)},
          {.name = "columns", .value = to_string(results.columns)},
          {.name = "sweeps", .value = to_string(problem.sweeps)},
          {.name = "equations", .value = outcome.levels.front().equations},
          {.name = "nonzeros", .value = outcome.levels.front().nonzeros},
          {.name = "seconds", .value = problem.seconds, .unit = "s"}};
}

Check at_most(const std::string& name, double value, double allowed, const std::string& source) {
  return {.name = name, .value = value, .reference = 0.0, .tolerance = allowed, .source = source};
}

std::vector<Check> checks_of(const Outcome& outcome, const PhaseResults& results) {
  const ConvergenceTest& convergence = outcome.convergence;
  const double beyond = std::max(0.0, convergence.residual / convergence.reference_residual - 1.0);
  std::vector<Check> checks = checks_of(outcome.problem);
  const std::vector<Check> tests{
      at_most("hpcg spectral test: iterations without preconditioner",
              outcome.spectral.most_iterations_plain, outcome.spectral.allowed_plain, rules),
      at_most("hpcg spectral test: iterations with preconditioner",
              outcome.spectral.most_iterations_preconditioned,
              outcome.spectral.allowed_preconditioned, rules),
      at_most("hpcg departure from symmetry: SpMV", outcome.symmetry.departure_spmv, 1.0, rules),
      at_most("hpcg departure from symmetry: MG", outcome.symmetry.departure_mg, 1.0, rules),
      at_most("hpcg residual beyond the reference's after 50 iterations, relative",
              convergence.reached ? beyond : std::max(beyond, 1.0), 1e-6, rules),
      at_most("hpcg variance of the sets' scaled residuals", outcome.norms.variance, 1e-6, rules),
      // x is at least as close to the solution as b - A x to 0, within the condition of A.
      at_most("hpcg deviation of x from the exact solution", results.solution_error, 1.0,
              "closed form: x is 1 everywhere")};
  checks.insert(checks.end(), tests.begin(), tests.end());
  return checks;
}

Traffic traffic_of(const std::vector<Step>& steps, double times) {
  Traffic traffic;
  for (const Step& step : steps) {
    traffic = traffic + times * step.traffic;
  }
  return traffic;
}

std::vector<Figure> figures_of(const Outcome& outcome, const PhaseResults& results) {
  const OfficialFlops flops = official_flops(outcome);
  const auto rate = [](const std::string& name, double value) {
    return Figure{.name = name, .value = value * 1e-9, .unit = "GFLOPS"};
  };
  const CgTimes& times = outcome.times;
  return {rate("rating", rating(outcome)),
          rate("raw", flops.total() / times.total),
          rate("ddot", flops.ddot / times.ddot),
          rate("waxpby", flops.waxpby / times.waxpby),
          rate("spmv", flops.spmv / times.spmv),
          rate("mg", flops.mg / times.mg),
          {.name = "iterations", .value = std::int64_t{outcome.convergence.iterations}},
          {.name = "sets", .value = std::int64_t{outcome.sets}},
          {.name = "setup", .value = outcome.setup_seconds, .unit = "s"},
          {.name = "optimisation", .value = outcome.optimise_seconds, .unit = "s"},
          {.name = "reference_cg", .value = outcome.reference_cg_seconds, .unit = "s"},
          {.name = "scaled_residual", .value = outcome.norms.mean},
          {.name = "valid", .value = outcome.valid()},
          {.name = "transport", .value = to_string(results.transport)}};
}

/// The timed sets as a whole: a repeat is a set.
Measurement sets_measurement(const Problem& problem, const Outcome& outcome,
                             const PhaseResults& results, const Ceiling& ceiling) {
  Measurement m;
  m.name = fmt::format("hpcg {} {}", to_string(problem.local), to_string(problem.variant));
  m.parameters = {{.name = "local", .value = to_string(problem.local)},
                  {.name = "ranks", .value = std::int64_t{outcome.ranks}},
                  {.name = "device", .value = to_string(problem.device)},
                  {.name = "variant", .value = to_string(problem.variant)},
                  {.name = "columns", .value = to_string(results.columns)},
                  {.name = "sweeps", .value = to_string(problem.sweeps)}};
  m.seconds = summarise(results.set_seconds);
  m.traffic = traffic_of(results.steps, outcome.convergence.iterations);
  m.traffic.flops = official_flops(outcome).total() / outcome.sets;
  if (!results.steps.empty()) {
    m.traffic_model = "sum of the steps of an iteration: each matrix, index and vector once";
    m.ceiling = ceiling;
  }
  m.figures = figures_of(outcome, results);
  m.notes = results.notes;
  if (is_short(problem)) {
    m.notes.emplace_back(
        "the ceiling was measured once, in one pass, as the run is short: percent are rough");
  }
  return m;
}

Measurement step_measurement(const Step& step, const Problem& problem, const Ceiling& ceiling,
                             double iteration_seconds) {
  Measurement m;
  m.name = fmt::format("hpcg step {} level {}", step.name, step.level);
  m.parameters = {{.name = "step", .value = step.name},
                  {.name = "level", .value = std::int64_t{step.level}},
                  {.name = "device", .value = to_string(problem.device)}};
  m.seconds = summarise({step.seconds});
  m.traffic = step.traffic;
  m.traffic_model = "each matrix entry, index and vector element once";
  m.ceiling = ceiling;
  m.figures = {{.name = "share", .value = 100.0 * step.seconds / iteration_seconds, .unit = "%"}};
  m.fits_cache = step.traffic.bytes() < 4.0 * static_cast<double>(last_cache_bytes(problem.device));
  return m;
}

/// Each step of an iteration as a measurement of its own.
void add_steps(const Problem& problem, const PhaseResults& results, const Ceiling& ceiling,
               RunResult& result) {
  double iteration = 0.0;
  for (const Step& step : results.steps) {
    iteration += step.seconds;
  }
  for (const Step& step : results.steps) {
    result.measurements.push_back(step_measurement(step, problem, ceiling, iteration));
  }
}

}  // namespace

RunResult run(const Problem& problem, const Communicator& ranks, Progress& progress,
              Outcome& outcome) {
  validate(problem, ranks);
  Ceiling ceiling = ceiling_of(problem, ranks, progress);
  const PhaseResults results = run_phases(problem, ranks, progress, outcome);
  if (!is_short(problem)) {
    const Ceiling after = ceiling_of(problem, ranks, progress);
    ceiling = after.bytes_per_second > ceiling.bytes_per_second ? after : ceiling;
  }
  RunResult result{.workload = "hpcg",
                   .problem = describe(problem, outcome, results),
                   .measurements = {},
                   .series = {},
                   .checks = checks_of(outcome, results),
                   .notes = {}};
  result.measurements.push_back(sets_measurement(problem, outcome, results, ceiling));
  add_steps(problem, results, ceiling, result);
  return result;
}

}  // namespace bankfull::hpcg
