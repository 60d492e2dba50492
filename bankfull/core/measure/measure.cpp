#include "bankfull/core/measure/measure.hpp"

#include "bankfull/core/base/format.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <fmt/format.h>

namespace bankfull {
namespace {

std::string line_of(const Measurement& measurement) {
  std::string line = measurement.name + ": " + format_seconds(measurement.seconds.median);
  if (const auto rate = measurement.bytes_per_second()) {
    line += ", " + format_si(*rate, "B/s");
  }
  if (const auto percent = measurement.percent_of_bankfull(); percent && measurement.ceiling) {
    line += fmt::format(", {:.1f} % of bankfull ({})", *percent,
                        format_si(measurement.ceiling->bytes_per_second, "B/s"));
  }
  return line + (measurement.quietness.noisy() ? ", noisy\n" : "\n");
}

}  // namespace

RunResult measure(const Communicator& ranks, Device device, int threads,
                  const std::vector<Benchmark*>& benchmarks, const MeasureOptions& options) {
  NoProgress progress;
  MachineWatch machine(ranks);
  const RunContext context{
      .ranks = ranks, .progress = progress, .policy = options.policy, .machine = &machine};
  Experiment experiment(device, threads, context);
  RunResult result{.workload = options.workload};
  result.measurements = experiment.measure_in_turn(benchmarks, options.repeats, result.checks);
  experiment.finish(result.measurements);
  result.machine = machine.state(ranks);
  return result;
}

std::string summary(const RunResult& result) {
  std::string text;
  for (const Measurement& measurement : result.measurements) {
    text += line_of(measurement);
  }
  for (const Check& check : result.checks) {
    if (!check.passed()) {
      text += fmt::format("{}: {} instead of {}\n", check.name, check.value, check.reference);
    }
  }
  return text + "verdict: " + verdict_names.to_string(result.verdict()) + '\n';
}

ExitCode exit_code_of(const RunResult& result) {
  if (!result.verified()) {
    return ExitCode::verification_failed;
  }
  return result.complete() ? ExitCode::ok : ExitCode::interrupted;
}

}  // namespace bankfull
