#include "bankfull/workloads/hpcg/run.hpp"

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/workloads/hpcg/checks.hpp"
#include "bankfull/workloads/hpcg/flops.hpp"
#include "bankfull/workloads/hpcg/official_report.hpp"
#include "bankfull/workloads/hpcg/phases.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>

namespace bankfull::hpcg {
namespace {

/// A run of less than a second on a CPU is a test, and the ceiling shall not take most of its time;
/// on a GPU it takes milliseconds.
bool is_short(const Problem& problem) { return !problem.device.is_cuda() && problem.seconds < 1.0; }

int ceiling_repeats(const Problem& problem) {
  return is_short(problem) ? brief_ceiling_repeats : usual_ceiling_repeats;
}

/// Collective: what the memory of these ranks sustains for a mix. All measure at once; their rates
/// add up.
Ceiling ceiling_of(const Mix& mix, const Problem& problem, const Communicator& ranks,
                   Progress& progress) {
  progress.update("measuring the ceiling", 0.0, 1.0);
  wait_until_cleared(ranks);
  ranks.barrier();
  const int sharing = sharers_of_device(ranks, problem.device);
  Ceiling ceiling = measure_ceiling(problem.device, problem.threads, mix, Precision::fp64, sharing,
                                    ceiling_repeats(problem));
  ceiling.bytes_per_second = ranks.sum(ceiling.bytes_per_second);
  ceiling.working_set_bytes = ranks.sum(ceiling.working_set_bytes);
  if (ranks.size() > 1) {
    ceiling.name += fmt::format(", on {} ranks at once", ranks.size());
  }
  return ceiling;
}

/// What the memory sustains for each mix of reads and writes that the steps have, measured once.
class Ceilings {
 public:
  Ceilings(const Problem& problem, const Communicator& ranks, Progress& progress)
      : problem_(problem), ranks_(ranks), progress_(progress) {}

  /// Collective; none where nothing is stated to be moved.
  std::optional<Ceiling> operator()(const Traffic& traffic) {
    std::optional<Mix> mix = mix_of(traffic);
    if (!mix) {
      return std::nullopt;
    }
    if (is_short(problem_)) {
      mix = Mix{.reads = most_mix_reads, .writes = 1};  // one for all: most bytes are read
    }
    const auto [known, is_new] = by_mix_.try_emplace(to_string(*mix));
    if (is_new) {
      known->second = ceiling_of(*mix, problem_, ranks_, progress_);
    }
    return known->second;
  }

 private:
  const Problem& problem_;
  const Communicator& ranks_;
  Progress& progress_;
  std::map<std::string, Ceiling> by_mix_;
};

/// Parameters with those that say what is out of the ordinary.
std::vector<Figure> marked(std::vector<Figure> parameters, const Problem& problem) {
  if (problem.perturbation != 0.0) {
    parameters.push_back(perturbation_parameter(problem.perturbation));
  }
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
          {.name = "largest_error", .value = outcome.solution.error},
          {.name = "valid", .value = outcome.valid()},
          {.name = "official", .value = why_not_official(outcome).empty()},
          {.name = "transport", .value = to_string(results.transport)}};
}

/// Bytes of all ranks that an iteration works on: each entry of the levels' matrices with its
/// column, and the vectors x, r, z, p and A p.
double iteration_bytes(const Outcome& outcome) {
  constexpr double entry_bytes = sizeof(double) + sizeof(std::int32_t);
  constexpr double vectors_bytes = 5.0 * sizeof(double);
  double bytes = 0.0;
  for (const LevelSize& level : outcome.levels) {
    bytes += entry_bytes * static_cast<double>(level.nonzeros) +
             vectors_bytes * static_cast<double>(level.equations);
  }
  return bytes;
}

/// What a reader of the sets' figures must know.
std::vector<std::string> notes_of(const Problem& problem, const Outcome& outcome,
                                  const PhaseResults& results) {
  std::vector<std::string> notes = results.notes;
  if (problem.perturbation != 0.0) {
    notes.push_back(perturbation_note(problem.perturbation));
  }
  for (const std::string& reason : why_not_official(outcome)) {
    notes.push_back("no official result: " + reason);
  }
  if (is_short(problem)) {
    notes.emplace_back(
        "one ceiling was measured, in one pass, as the run is short: percent are rough");
  }
  return notes;
}

/// Collective: the timed sets as a whole: a repeat is a set.
Measurement sets_measurement(const Problem& problem, const Outcome& outcome,
                             const PhaseResults& results, Ceilings& ceilings,
                             const Communicator& ranks) {
  Measurement m;
  m.name = fmt::format("hpcg {} {}", to_string(problem.local), to_string(problem.variant));
  m.parameters = marked({{.name = "local", .value = to_string(problem.local)},
                         {.name = "ranks", .value = std::int64_t{outcome.ranks}},
                         {.name = "device", .value = to_string(problem.device)},
                         {.name = "variant", .value = to_string(problem.variant)},
                         {.name = "columns", .value = to_string(results.columns)},
                         {.name = "sweeps", .value = to_string(problem.sweeps)}},
                        problem);
  m.seconds = summarise(results.set_seconds);
  m.traffic = traffic_of(results.steps, outcome.convergence.iterations);
  m.traffic.flops = official_flops(outcome).total() / outcome.sets;
  if (!results.steps.empty()) {
    m.traffic_model = "sum of the steps of an iteration: each matrix, index and vector once";
    m.ceiling = ceilings(m.traffic);
  }
  m.figures = figures_of(outcome, results);
  m.notes = notes_of(problem, outcome, results);
  m.fits_cache = fits_last_cache(iteration_bytes(outcome), problem.device, ranks);
  return m;
}

Measurement step_measurement(const Step& step, const Problem& problem, Ceilings& ceilings,
                             double iteration_seconds, const Communicator& ranks) {
  Measurement m;
  m.name = fmt::format("hpcg step {} level {}", step.name, step.level);
  m.parameters = marked({{.name = "step", .value = step.name},
                         {.name = "level", .value = std::int64_t{step.level}},
                         {.name = "device", .value = to_string(problem.device)}},
                        problem);
  m.seconds = summarise({step.seconds});
  m.traffic = step.traffic;
  m.traffic_model = "each matrix entry, index and vector element once";
  m.ceiling = ceilings(step.traffic);
  m.figures = {{.name = "share", .value = 100.0 * step.seconds / iteration_seconds, .unit = "%"}};
  m.fits_cache = fits_last_cache(step.traffic.bytes(), problem.device, ranks);
  return m;
}

/// Collective: each step of an iteration as a measurement of its own.
void add_steps(const Problem& problem, const PhaseResults& results, Ceilings& ceilings,
               const Communicator& ranks, RunResult& result) {
  double iteration = 0.0;
  for (const Step& step : results.steps) {
    iteration += step.seconds;
  }
  for (const Step& step : results.steps) {
    result.measurements.push_back(step_measurement(step, problem, ceilings, iteration, ranks));
  }
}

}  // namespace

RunResult run(const Problem& problem, const Communicator& ranks, Progress& progress,
              Outcome& outcome) {
  validate(problem, ranks);
  for (const BrokenRule& rule : broken_rules(problem, ranks)) {
    outcome.broken_rules.push_back(rule.what);
  }
  const PhaseResults results = run_phases(problem, ranks, progress, outcome);
  RunResult result{.workload = "hpcg",
                   .problem = describe(problem, outcome, results),
                   .measurements = {},
                   .series = {},
                   .checks = checks_of(outcome),
                   .notes = {}};
  Ceilings ceilings(problem, ranks, progress);
  result.measurements.push_back(sets_measurement(problem, outcome, results, ceilings, ranks));
  add_steps(problem, results, ceilings, ranks, result);
  return result;
}

}  // namespace bankfull::hpcg
