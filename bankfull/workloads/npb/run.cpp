#include "bankfull/workloads/npb/run.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/arithmetic.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace bankfull::npb {
namespace {

/// What the repeats of one kernel gave, on all ranks together.
struct Repeats {
  double setup_seconds = 0.0;
  std::int64_t most_bytes = 0;  ///< that the rank that needs most held in its device's memory
  std::vector<double> seconds;
  std::vector<Check> checks;  ///< of the last repeat, or of the first that failed; and of the run
  Traffic traffic;
  std::string traffic_model;
  Transport transport = Transport::local;
  std::vector<Figure> parameters;  ///< what the kernel adds to the problem's
  std::vector<std::string> notes;
  double fp64_instructions = 0.0;
};

bool all_passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.passed(); });
}

std::string title_of(Kernel kernel, const Problem& problem) {
  return fmt::format("npb {} {}", to_string(kernel), to_string(problem.size));
}

/// Collective: seconds that `body` takes from when all ranks begin to when the last is done.
template <class Body>
double time_on_all(const Communicator& ranks, const Body& body) {
  ranks.barrier();
  const Stopwatch watch;
  body();
  return ranks.max(watch.seconds());
}

Traffic sum_of(const Traffic& mine, const Communicator& ranks) {
  return {ranks.sum(mine.bytes_read), ranks.sum(mine.bytes_written), ranks.sum(mine.flops)};
}

Repeats repeat(Kernel kernel, const Problem& problem, const Communicator& ranks,
               Progress& progress) {
  const std::string title = title_of(kernel, problem);
  progress.update(title + " set-up", 0.0, 1.0);
  Repeats repeats;
  const MemoryWatch memory(memory_space_of(problem.device));
  std::unique_ptr<Benchmark> benchmark;
  repeats.setup_seconds =
      time_on_all(ranks, [&] { benchmark = make_benchmark(kernel, problem, ranks); });
  benchmark->rewind();
  benchmark->warm_up();
  for (int n = 0; n < problem.repeats; ++n) {
    progress.update(title, n, problem.repeats);
    benchmark->rewind();
    repeats.seconds.push_back(time_on_all(ranks, [&] { benchmark->run(); }));
    if (repeats.checks.empty() || all_passed(repeats.checks)) {
      repeats.checks = benchmark->checks();
    }
  }
  if (problem.perturbation != 0.0) {
    repeats.checks.push_back(perturbation_check(problem.perturbation, title));
  }
  repeats.most_bytes = ranks.max(memory.most_bytes());
  repeats.traffic = sum_of(benchmark->traffic(), ranks);
  repeats.traffic_model = benchmark->traffic_model();
  if (ranks.size() > 1) {
    repeats.transport = benchmark->transport();
  }
  repeats.parameters = benchmark->parameters();
  repeats.notes = benchmark->notes();
  repeats.fp64_instructions = ranks.sum(benchmark->fp64_instructions());
  return repeats;
}

/// Passes of the ceiling that a measurement is compared with; the same on all ranks.
int ceiling_passes(const Problem& problem, const Measurement& m) {
  return ceiling_repeats_of_run(problem.device, m.traffic.bytes() * problem.repeats);
}

/// Collective: what the memory of these ranks sustains for this mix, all of them at once, the
/// better of now and `before`.
Ceiling better_ceiling(const Problem& problem, const Communicator& ranks, const Mix& mix,
                       const std::optional<Ceiling>& before, int passes, Progress& progress) {
  progress.update("measuring the ceiling", 0.0, 1.0);
  const int sharing = sharers_of_device(ranks, problem.device);
  wait_until_cleared(ranks);
  ranks.barrier();
  Ceiling now =
      measure_ceiling(problem.device, problem.threads, mix, Precision::fp64, sharing, passes);
  now.bytes_per_second = ranks.sum(now.bytes_per_second);
  now.working_set_bytes = ranks.sum(now.working_set_bytes);
  if (ranks.size() > 1) {
    now.name += fmt::format(", on {} ranks at once", ranks.size());
  }
  return before && before->bytes_per_second > now.bytes_per_second ? *before : now;
}

Measurement measurement_of(Kernel kernel, const Problem& problem, const Repeats& repeats,
                           const Outcome& outcome) {
  Measurement m;
  m.name = title_of(kernel, problem);
  m.parameters = {{.name = "kernel", .value = to_string(kernel)},
                  {.name = "class", .value = to_string(problem.size)},
                  {.name = "schedule", .value = to_string(problem.schedule)},
                  {.name = "device", .value = to_string(problem.device)},
                  {.name = "ranks", .value = std::int64_t{outcome.ranks}},
                  {.name = "transport", .value = to_string(repeats.transport)},
                  {.name = "threads", .value = std::int64_t{problem.threads}}};
  m.parameters.insert(m.parameters.end(), repeats.parameters.begin(), repeats.parameters.end());
  if (problem.perturbation != 0.0) {
    m.parameters.push_back(perturbation_parameter(problem.perturbation));
  }
  m.seconds = summarise(repeats.seconds);
  m.traffic = repeats.traffic;
  m.traffic_model = repeats.traffic_model;
  m.notes = repeats.notes;
  m.figures = {
      {.name = "mops", .value = outcome.mops(), .unit = "Mop/s"},
      {.name = "setup", .value = repeats.setup_seconds, .unit = "s"},
      {.name = "memory", .value = memory_bytes(kernel, problem, outcome.ranks), .unit = "B"},
      {.name = "verified", .value = outcome.verified}};
  if (problem.device.is_cuda()) {
    m.figures.push_back({.name = "peak_device_memory", .value = repeats.most_bytes, .unit = "B"});
  }
  return m;
}

/// Collective: how near a kernel that computes in registers is to what the ranks' GPUs can do, all
/// of them at once.
void compare_with_fp64_rate(const Problem& problem, const Communicator& ranks, double instructions,
                            Measurement& m) {
  if constexpr (build::cuda) {
    ranks.barrier();
    const double rate = ranks.sum(measure_fp64_rate(problem.device));
    const double percent = 100.0 * instructions / m.seconds.median / rate;
    m.figures.push_back({.name = "fp64_rate", .value = rate, .unit = "instructions/s"});
    m.figures.push_back({.name = "percent_of_fp64", .value = percent, .unit = "%"});
    m.notes.push_back(fmt::format("{}: {:.1f} % of the fp64 rate ({}, measured in this process)",
                                  m.name, percent, format_si(rate, "fused multiply-adds/s")));
  }
}

void run_kernel(Kernel kernel, const Problem& problem, const Communicator& ranks,
                Progress& progress, RunResult& result, std::vector<Outcome>& outcomes) {
  const Repeats repeats = repeat(kernel, problem, ranks, progress);
  const Outcome outcome{.kernel = kernel,
                        .size = problem.size,
                        .facts = facts_of(kernel, problem),
                        .ranks = ranks.size(),
                        .threads = static_cast<int>(ranks.sum(std::int64_t{problem.threads})),
                        .seconds = summarise(repeats.seconds).median,
                        .verified = all_passed(repeats.checks)};
  Measurement m = measurement_of(kernel, problem, repeats, outcome);
  if (const std::optional<Mix> mix = mix_of(m.traffic)) {
    m.fits_cache =
        fits_last_cache(static_cast<double>(outcome.facts.data_bytes), problem.device, ranks);
    const int passes = ceiling_passes(problem, m);
    m.ceiling = better_ceiling(problem, ranks, *mix, std::nullopt, passes, progress);
    if (passes == brief_ceiling_repeats) {
      m.notes.emplace_back(
          "a short run: its ceiling was measured briefly, the percentage is rough");
    }
  }
  if (repeats.fp64_instructions > 0.0) {
    compare_with_fp64_rate(problem, ranks, repeats.fp64_instructions, m);
  }
  result.measurements.push_back(std::move(m));
  result.checks.insert(result.checks.end(), repeats.checks.begin(), repeats.checks.end());
  outcomes.push_back(outcome);
}

std::vector<Figure> describe(const Problem& problem, const Communicator& ranks) {
  std::vector<Figure> parameters{{.name = "class", .value = to_string(problem.size)},
                                 {.name = "schedule", .value = to_string(problem.schedule)},
                                 {.name = "device", .value = to_string(problem.device)},
                                 {.name = "ranks", .value = std::int64_t{ranks.size()}},
                                 {.name = "threads", .value = std::int64_t{problem.threads}},
                                 {.name = "repeats", .value = std::int64_t{problem.repeats}}};
  if (problem.perturbation != 0.0) {
    parameters.push_back(perturbation_parameter(problem.perturbation));
  }
  return parameters;
}

}  // namespace

RunResult run(const Problem& problem, const Communicator& ranks, Progress& progress,
              std::vector<Outcome>& outcomes) {
  validate(problem, ranks);
  RunResult result{.workload = "npb",
                   .problem = describe(problem, ranks),
                   .measurements = {},
                   .series = {},
                   .checks = {},
                   .notes = {}};
  if (problem.perturbation != 0.0) {
    result.notes.push_back(perturbation_note(problem.perturbation));
  }
  for (const Kernel kernel : problem.kernels) {
    run_kernel(kernel, problem, ranks, progress, result, outcomes);
  }
  // Once more, for shared machines drift: the better of before and after counts.
  for (Measurement& m : result.measurements) {
    const std::optional<Mix> mix = mix_of(m.traffic);
    const int passes = ceiling_passes(problem, m);
    if (mix && passes != brief_ceiling_repeats) {
      m.ceiling = better_ceiling(problem, ranks, *mix, m.ceiling, passes, progress);
    }
  }
  return result;
}

}  // namespace bankfull::npb
