#include "bankfull/workloads/npb/run.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/measure/arithmetic.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/memory/memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace bankfull::npb {
namespace {

/// A kernel's measurement, and further results of its benchmark; the same on all ranks.
struct KernelRun {
  Measurement measurement;
  std::vector<Check> checks;
  double setup_seconds = 0.0;
  std::int64_t peak_bytes = 0;  ///< of device memory, on the rank that needs most
  Transport transport = Transport::local;
  double fp64_instructions = 0.0;  ///< of all ranks
};

/// Collective. The kernel's memory is free again when this returns.
KernelRun measure_kernel(Kernel kernel, const Problem& problem, const RunContext& context,
                         Experiment& experiment) {
  const Communicator& ranks = context.ranks;
  const std::string title = title_of(kernel, problem.size);
  context.begin(title + " set-up", 0.0, 1.0);
  KernelRun run;
  const MemoryWatch memory(memory_space_of(problem.device));
  std::unique_ptr<Benchmark> benchmark;
  run.setup_seconds = experiment.time([&] { benchmark = make_benchmark(kernel, problem, ranks); });
  run.measurement =
      experiment.measure_in_turn({benchmark.get()}, problem.repeats, run.checks).front();
  add_perturbation(problem.perturbation, run.checks, title);
  run.peak_bytes = ranks.max(memory.max_bytes());
  if (ranks.size() > 1) {
    run.transport = benchmark->transport();
  }
  run.fp64_instructions = ranks.sum(benchmark->fp64_instructions());
  return run;
}

Outcome outcome_of(const KernelPlan& plan, const Problem& problem, const Communicator& ranks,
                   const KernelRun& run) {
  return {.kernel = plan.kernel,
          .size = problem.size,
          .facts = plan.facts,
          .ranks = ranks.size(),
          .threads = static_cast<int>(ranks.sum(std::int64_t{problem.threads})),
          .seconds = run.measurement.seconds.median,
          .verified = std::ranges::all_of(run.checks, &Check::passed)};
}

std::vector<Figure> parameters_of(const Problem& problem, const Outcome& outcome,
                                  const KernelRun& run) {
  std::vector<Figure> all{{.name = "kernel", .value = to_string(outcome.kernel)},
                          {.name = "class", .value = to_string(problem.size)},
                          {.name = "schedule", .value = to_string(problem.schedule)},
                          {.name = "device", .value = to_string(problem.device)},
                          {.name = "ranks", .value = std::int64_t{outcome.ranks}},
                          {.name = "transport", .value = to_string(run.transport)},
                          {.name = "threads", .value = std::int64_t{problem.threads}}};
  const std::vector<Figure>& own = run.measurement.parameters;
  all.insert(all.end(), own.begin(), own.end());
  add_perturbation(problem.perturbation, all);
  return all;
}

Measurement measurement_of(const Problem& problem, const KernelPlan& plan, const Outcome& outcome,
                           const KernelRun& run) {
  Measurement m = run.measurement;
  m.parameters = parameters_of(problem, outcome, run);
  const std::vector<Figure> of_kernel = m.figures;
  m.figures = {{.name = "mops", .value = outcome.mops(), .unit = "Mop/s"},
               {.name = "setup", .value = run.setup_seconds, .unit = "s"},
               {.name = "memory", .value = plan.footprint.of_work(), .unit = "B"},
               {.name = "verified", .value = outcome.verified}};
  if (problem.device.is_cuda()) {
    m.figures.push_back({"peak_device_memory", run.peak_bytes, "B"});
  }
  m.figures.insert(m.figures.end(), of_kernel.begin(), of_kernel.end());
  return m;
}

/// Collective: compares a kernel that computes in registers with the fp64 rate of the ranks' GPUs,
/// measured on all of them at once.
void compare_with_fp64_rate(const Problem& problem, const Communicator& ranks, double instructions,
                            Measurement& m) {
  if constexpr (build::cuda) {
    ranks.barrier();
    const double rate = ranks.sum(measure_fp64_rate(problem.device));
    const double percent = 100.0 * instructions / m.seconds.median / rate;
    m.figures.push_back({"fp64_rate", rate, "instructions/s"});
    m.figures.push_back({"percent_of_fp64", percent, "%"});
    m.notes.push_back(fmt::format("{}: {:.1f} % of the fp64 rate ({}, measured in this process)",
                                  m.name, percent, format_si(rate, "fused multiply-adds/s")));
  }
}

std::vector<Figure> describe(const Problem& problem, const Communicator& ranks) {
  std::vector<Figure> parameters{{.name = "class", .value = to_string(problem.size)},
                                 {.name = "schedule", .value = to_string(problem.schedule)},
                                 {.name = "device", .value = to_string(problem.device)},
                                 {.name = "ranks", .value = std::int64_t{ranks.size()}},
                                 {.name = "threads", .value = std::int64_t{problem.threads}},
                                 {.name = "repeats", .value = std::int64_t{problem.repeats}}};
  add_perturbation(problem.perturbation, parameters);
  return parameters;
}

}  // namespace

RunResult run(const Plan& plan, const RunContext& context) {
  const Problem& problem = plan.problem;
  const Communicator& ranks = context.ranks;
  RunResult result{.workload = "npb", .problem = describe(problem, ranks)};
  add_perturbation(problem.perturbation, result.notes);
  Experiment experiment(problem.device, problem.threads, context);
  std::vector<Outcome> outcomes;
  until_interrupted([&] {
    for (const KernelPlan& of_kernel : plan.kernels) {
      const KernelRun run = measure_kernel(of_kernel.kernel, problem, context, experiment);
      outcomes.push_back(outcome_of(of_kernel, problem, ranks, run));
      Measurement m = measurement_of(problem, of_kernel, outcomes.back(), run);
      experiment.measure_ceiling_of(m);
      if (run.fp64_instructions > 0.0) {
        compare_with_fp64_rate(problem, ranks, run.fp64_instructions, m);
      }
      result.measurements.push_back(std::move(m));
      result.checks.insert(result.checks.end(), run.checks.begin(), run.checks.end());
    }
  });
  experiment.finish(result.measurements);
  result.attachment = std::move(outcomes);
  return result;
}

}  // namespace bankfull::npb
