#include "bankfull/app/accept/reading.hpp"

#include <algorithm>

namespace bankfull::accept {
namespace {

/// Rates of a probe inside a cache say little of a device, nor do those by which it tells how quiet
/// the machine is. Copies from and to the host scatter by more than what must be caught.
bool tells_of_memory(const Measurement& measurement) {
  return measurement.cache != CacheFit::inside && !measurement.name.starts_with("ceiling again") &&
         measurement.name.find("host") == std::string::npos;
}

bool is_gauge(const std::string& workload, const Measurement& measurement) {
  if (workload == "probe" && !tells_of_memory(measurement)) {
    return false;
  }
  return std::ranges::none_of(measurement.parameters, [](const Figure& parameter) {
    return parameter.name == "part" || parameter.name == "step";
  });
}

std::string gauge_name(const std::string& workload, const std::string& measurement) {
  return measurement.starts_with(workload) ? measurement : workload + " " + measurement;
}

struct Rate {
  std::optional<double> value;
  const char* unit = "";
};

/// Operations where a measurement states them: the same work may move fewer bytes. NPB counts those
/// of EP and IS in its own way.
Rate rate_of(const std::string& workload, const Measurement& measurement) {
  constexpr double giga = 1e-9;
  constexpr double giga_of_mega = 1e-3;
  const auto scaled = [](std::optional<double> value, double factor) {
    return value ? std::optional(*value * factor) : std::nullopt;
  };
  if (workload == "probe") {
    return {scaled(measurement.bytes_per_second(), giga), "GB/s"};
  }
  if (workload == "npb") {
    return {scaled(recorded::number(measurement.figures, "mops"), giga_of_mega), "Gop/s"};
  }
  return {scaled(measurement.flops_per_second(), giga), "GFLOPS"};
}

std::optional<Reading> reading_of(const std::string& workload, const Measurement& measurement) {
  const Rate rate = rate_of(workload, measurement);
  if (!rate.value || !(*rate.value > 0.0)) {
    return std::nullopt;
  }
  return Reading{.gauge = gauge_name(workload, measurement.name),
                 .rate = *rate.value,
                 .unit = rate.unit,
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
