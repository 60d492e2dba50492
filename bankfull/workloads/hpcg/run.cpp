#include "bankfull/workloads/hpcg/run.hpp"

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/workloads/hpcg/checks.hpp"
#include "bankfull/workloads/hpcg/official_report.hpp"
#include "bankfull/workloads/hpcg/phases.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// Parameters, including those of unusual options.
std::vector<Figure> marked(std::vector<Figure> parameters, const Problem& problem) {
  if (problem.products != Products::direct) {
    parameters.push_back({.name = "products", .value = to_string(problem.products)});
  }
  add_perturbation(problem.perturbation, parameters);
  return parameters;
}

std::vector<Figure> describe(const Problem& problem, const Outcome& outcome,
                             const PhaseResults& results) {
  return marked({{.name = "local", .value = to_string(problem.local)},
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
                 {.name = "seconds", .value = problem.seconds, .unit = "s"}},
                problem);
}

std::vector<Figure> figures_of(const Outcome& outcome, const PhaseResults& results) {
  const OfficialFlops flops = official_flops(outcome);
  const auto rate = [](const std::string& name, double value) {
    return Figure{.name = name, .value = value * 1e-9, .unit = "GFLOPS"};
  };
  const CgTimes& times = outcome.times;
  return {rate("rating", rating(outcome)),
          rate("raw", flops.total() / times.total),
          rate("ddot", rate_of(flops.ddot, times.ddot)),
          rate("waxpby", flops.waxpby / times.waxpby),
          rate("spmv", flops.spmv / times.spmv),
          rate("mg", flops.mg / times.mg),
          {.name = "iterations", .value = std::int64_t{outcome.convergence.iterations}},
          {.name = "sets", .value = std::int64_t{outcome.sets}},
          {.name = "setup", .value = outcome.setup_seconds, .unit = "s"},
          {.name = "optimisation", .value = outcome.optimise_seconds, .unit = "s"},
          {.name = "reference_cg", .value = outcome.reference_cg_seconds, .unit = "s"},
          {.name = "scaled_residual", .value = outcome.norms.mean},
          {.name = "largest_error", .value = outcome.solution.error},
          {.name = "valid", .value = outcome.valid()},
          {.name = "official", .value = why_not_official(outcome).empty()},
          {.name = "transport", .value = to_string(results.transport)}};
}

/// Notes on the timed sets' figures.
std::vector<std::string> notes_of(const Problem& problem, const Outcome& outcome) {
  std::vector<std::string> notes = outcome.notes;
  add_perturbation(problem.perturbation, notes);
  for (const std::string& reason : why_not_official(outcome)) {
    notes.push_back("no official result: " + reason);
  }
  return notes;
}

/// Collective: the measurement of the timed sets; a repeat is a set.
Measurement sets_measurement(const Problem& problem, const Outcome& outcome,
                             const PhaseResults& results, const Experiment& experiment) {
  Work work = results.iteration;
  work.traffic = outcome.convergence.iterations * work.traffic;
  Measurement m = experiment.measurement(
      fmt::format("hpcg {} {}", to_string(problem.local), to_string(problem.variant)),
      results.set_seconds, work);
  // The official count, which is of all ranks.
  m.work.traffic.flops = official_flops(outcome).total() / outcome.sets;
  m.parameters = marked({{.name = "local", .value = to_string(problem.local)},
                         {.name = "ranks", .value = std::int64_t{outcome.ranks}},
                         {.name = "device", .value = to_string(problem.device)},
                         {.name = "variant", .value = to_string(problem.variant)},
                         {.name = "columns", .value = to_string(results.columns)},
                         {.name = "sweeps", .value = to_string(problem.sweeps)}},
                        problem);
  m.figures = figures_of(outcome, results);
  experiment.add_energy(results.counters, m);
  m.notes = notes_of(problem, outcome);
  return m;
}

/// Collective: each step of an iteration as a measurement of its own.
void add_steps(const Problem& problem, const std::vector<Step>& steps, const Experiment& experiment,
               std::vector<Measurement>& measurements) {
  double iteration = 0.0;
  for (const Step& step : steps) {
    iteration += step.seconds;
  }
  for (const Step& step : steps) {
    Measurement m = experiment.measurement(
        fmt::format("hpcg step {} level {}", step.name, step.level), {step.seconds}, step.work);
    m.parameters = marked({{.name = "step", .value = step.name},
                           {.name = "level", .value = std::int64_t{step.level}},
                           {.name = "device", .value = to_string(problem.device)}},
                          problem);
    m.figures = {{.name = "share", .value = 100.0 * step.seconds / iteration, .unit = "%"}};
    measurements.push_back(std::move(m));
  }
}

/// All phases, and what they found.
RunResult run_benchmark(const Plan& plan, const RunContext& context) {
  const Problem& problem = plan.problem;
  Outcome outcome;
  for (const BrokenRule& rule : plan.broken_rules) {
    outcome.broken_rules.push_back(rule.what);
  }
  Experiment experiment(problem.device, problem.threads, context);
  PhaseProgress progress(context);
  const PhaseResults results = run_phases(plan, context, experiment, progress, outcome);
  RunResult result{.workload = "hpcg",
                   .problem = describe(problem, outcome, results),
                   .measurements = {sets_measurement(problem, outcome, results, experiment)},
                   .checks = checks_of(outcome)};
  add_steps(problem, results.steps, experiment, result.measurements);
  progress.enter_in_any_case("measuring ceilings");
  experiment.finish(result.measurements);
  result.phases = progress.finish();
  result.attachment = std::move(outcome);
  return result;
}

}  // namespace

RunResult run(const Plan& plan, const RunContext& context) {
  const Problem& problem = plan.problem;
  // The result of a run that is interrupted before its timed sets.
  RunResult result{.workload = "hpcg",
                   .problem = marked({{.name = "local", .value = to_string(problem.local)},
                                      {.name = "device", .value = to_string(problem.device)},
                                      {.name = "variant", .value = to_string(problem.variant)}},
                                     problem)};
  until_interrupted([&] { result = run_benchmark(plan, context); });
  return result;
}

}  // namespace bankfull::hpcg
