#include "bankfull/app/thresholds.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <optional>

namespace bankfull {
namespace {

bool has(const Measurement& measurement, const std::string& parameter) {
  return std::ranges::find(measurement.parameters, parameter, &Figure::name) !=
         measurement.parameters.end();
}

/// Bytes; 0 where it sends none.
std::int64_t message_size(const Measurement& measurement) {
  const auto found = std::ranges::find(measurement.parameters, "message_size", &Figure::name);
  const auto* const size =
      found == measurement.parameters.end() ? nullptr : std::get_if<std::int64_t>(&found->value);
  return size == nullptr ? 0 : *size;
}

bool has_largest_message(const Measurement& measurement, const RunResult& result) {
  return std::ranges::all_of(result.measurements, [&](const Measurement& other) {
    return message_size(other) <= message_size(measurement);
  });
}

std::optional<double> in_billions(std::optional<double> value) {
  return value ? std::optional(*value * 1e-9) : std::nullopt;
}

/// Of memory: what a cache holds, even in part, says nothing about it (docs/adr/0014).
std::optional<double> percent_of_memory(const Measurement& measurement) {
  return measurement.cache == CacheFit::beyond ? measurement.percent_of_bankfull() : std::nullopt;
}

/// A least value for one figure of each measurement.
struct Bound {
  const char* option;
  const char* unit;    ///< behind the value
  const char* figure;  ///< what it needs
  std::optional<double> least;
  std::function<std::optional<double>(const Measurement&)> value;
};

std::array<Bound, 3> bounds_of(const Thresholds& thresholds) {
  return {Bound{.option = "--min-percent",
                .unit = "% of bankfull",
                .figure = "percentage of memory",
                .least = thresholds.min_percent,
                .value = percent_of_memory},
          Bound{.option = "--min-gbs",
                .unit = "GB/s",
                .figure = "bandwidth",
                .least = thresholds.min_gbs,
                .value = [](const Measurement& m) { return in_billions(m.bytes_per_second()); }},
          Bound{.option = "--min-gflops",
                .unit = "GFLOPS",
                .figure = "rate of operations",
                .least = thresholds.min_gflops,
                .value = [](const Measurement& m) { return in_billions(m.flops_per_second()); }}};
}

/// Why a measurement misses a bound; empty where it does not.
std::string shortfall(const RunResult& result, const Bound& bound) {
  bool is_known = false;
  for (const Measurement& m : result.measurements) {
    const auto value = is_judged(m, result) ? bound.value(m) : std::nullopt;
    if (value && *value < *bound.least) {
      return fmt::format("{} reached {:.1f} {}, below {} {}", m.name, *value, bound.unit,
                         bound.option, *bound.least);
    }
    is_known = is_known || value.has_value();
  }
  require(is_known,
          fmt::format("no measurement of this run has the {} that {} {} needs", bound.figure,
                      bound.option, *bound.least),
          "leave it out");
  return {};
}

}  // namespace

bool is_judged(const Measurement& measurement, const RunResult& result) {
  if (has(measurement, "step") || has(measurement, "part")) {
    return false;
  }
  if (has(measurement, "message_size")) {
    return has_largest_message(measurement, result);
  }
  return result.workload != "probe" || has(measurement, "working_set");
}

ExitCode judge_thresholds(const RunResult& result, const Thresholds& thresholds,
                          const Communicator& ranks) {
  for (const Bound& bound : bounds_of(thresholds)) {
    if (bound.least.value_or(0.0) <= 0.0) {
      continue;
    }
    if (const std::string why = shortfall(result, bound); !why.empty()) {
      tell(ranks, why);
      return ExitCode::below_threshold;
    }
  }
  return ExitCode::ok;
}

}  // namespace bankfull
