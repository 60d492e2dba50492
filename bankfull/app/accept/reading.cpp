#include "bankfull/app/accept/reading.hpp"

#include <algorithm>
#include <set>

namespace bankfull::accept {
namespace {

/// Rates of parts of a run say little of a device, nor do those of a probe inside a cache, or those
/// by which a probe tells how quiet the machine is.
bool is_gauge(const std::string& workload, const Measurement& measurement) {
  if (workload == "probe" && (measurement.cache == CacheFit::inside ||
                              measurement.name.starts_with("ceiling again"))) {
    return false;
  }
  return std::ranges::none_of(measurement.parameters, [](const Figure& parameter) {
    return parameter.name == "part" || parameter.name == "step";
  });
}

std::string gauge_name(const std::string& workload, const std::string& measurement) {
  return measurement.starts_with(workload) ? measurement : workload + " " + measurement;
}

/// Operations where a measurement states them, else bytes: the same work may move fewer of these.
std::optional<Reading> reading_of(const std::string& workload, const Measurement& measurement) {
  constexpr double giga = 1e-9;
  const bool counts_bytes = workload == "probe" || !measurement.flops_per_second();
  const auto rate = counts_bytes ? measurement.bytes_per_second() : measurement.flops_per_second();
  if (!rate || !(*rate > 0.0)) {
    return std::nullopt;
  }
  return Reading{.gauge = gauge_name(workload, measurement.name),
                 .rate = *rate * giga,
                 .unit = counts_bytes ? "GB/s" : "GFLOPS",
                 .noisy = measurement.quietness.noisy()};
}

std::string problem_text(const recorded::RecordedRun& run, const std::string& name) {
  const auto found = std::ranges::find(run.result.problem, name, &Figure::name);
  return found == run.result.problem.end() ? "" : recorded::text_of(*found);
}

}  // namespace

std::vector<Reading> readings_of(const recorded::RecordedRun& run) {
  std::vector<Reading> readings;
  if (!run.result.verified() || !run.result.complete() ||
      recorded::fact(run, "ranks", "ranks").value_or("1") != "1") {
    return readings;
  }
  for (const Measurement& measurement : run.result.measurements) {
    if (!is_gauge(run.result.workload, measurement)) {
      continue;
    }
    if (auto reading = reading_of(run.result.workload, measurement)) {
      readings.push_back(std::move(*reading));
    }
  }
  return readings;
}

DeviceName device_of(const recorded::RecordedRun& run) {
  const std::string host = recorded::fact(run, "system", "host").value_or("");
  std::string device = problem_text(run, "device");
  if (!device.starts_with("cuda")) {
    return {.model = recorded::device_text(run), .host = host, .device = "cpu", .board = host};
  }
  const std::size_t colon = device.find(':');
  const std::string group = "gpu" + (colon == std::string::npos ? "0" : device.substr(colon + 1));
  return {.model = recorded::device_text(run),
          .host = host,
          .device = device,
          .board = recorded::fact(run, group, "uuid").value_or(host + " " + device)};
}

}  // namespace bankfull::accept
