#include "bankfull/core/measure/run_result.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull {
namespace {

std::optional<double> rate_of(double amount, double seconds) {
  return amount > 0.0 && seconds > 0.0 ? std::optional(amount / seconds) : std::nullopt;
}

}  // namespace

double Ceiling::drift() const {
  if (rates.empty()) {
    return 0.0;
  }
  const auto [min, max] = std::minmax_element(rates.begin(), rates.end());
  return (*max - *min) / *max;
}

std::optional<double> Measurement::bytes_per_second() const {
  return rate_of(work.traffic.bytes(), seconds.median);
}

std::optional<double> Measurement::flops_per_second() const {
  return rate_of(work.traffic.flops, seconds.median);
}

std::optional<double> Measurement::spread() const {
  // Experiment leaves the quietness at 0 where repeats differ in work.
  const bool is_noise = quietness.spread > 0.0 || seconds.spread() == 0.0;
  return seconds.samples.size() > 1 && is_noise ? std::optional(quietness.spread) : std::nullopt;
}

std::optional<double> Measurement::percent_of_bankfull() const {
  const std::optional<double> rate = bytes_per_second();
  if (!ceiling || !rate) {
    return std::nullopt;
  }
  return 100.0 * *rate / ceiling->bytes_per_second;
}

std::optional<double> Measurement::watts() const { return energy ? energy->watts() : std::nullopt; }

std::optional<double> Measurement::joules() const {
  const std::optional<double> power = watts();
  return power ? std::optional(*power * seconds.median) : std::nullopt;
}

std::optional<double> Measurement::flops_per_joule() const {
  const std::optional<double> power = watts();
  const std::optional<double> rate = flops_per_second();
  return power && rate ? std::optional(*rate / *power) : std::nullopt;
}

double Check::deviation() const {
  const double difference = std::abs(value - reference);
  return reference == 0.0 ? difference : difference / std::abs(reference);
}

bool Check::passed() const { return deviation() <= tolerance; }

bool all_passed(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.passed(); });
}

bool RunResult::verified() const { return all_passed(checks); }

bool RunResult::resolved() const { return all_passed(resolution); }

Verdict RunResult::verdict() const {
  if (checks.empty()) {
    return Verdict::none;
  }
  if (!verified()) {
    return Verdict::failed;
  }
  return resolved() ? Verdict::verified : Verdict::under_resolved;
}

std::vector<std::string> RunResult::limits_of(const Measurement& measurement) const {
  std::vector<std::string> limits;
  std::vector<std::string> counted;
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const ThrottledShare& own : measurement.throttled.value_or(std::vector<ThrottledShare>{})) {
    counted.push_back(throttle_names.to_string(own.reason));
    if (own.share >= min_throttled_share) {
      limits.push_back(counted.back());
    }
  }
  for (const ObservedPart& part : machine.parts) {
    for (const std::string& limit : part.limits) {
      if (!has(limits, limit) && (part.kind != "gpu" || !has(counted, limit))) {
        limits.push_back(limit);
      }
    }
  }
  return limits;
}

bool RunResult::noisy() const {
  return std::any_of(measurements.begin(), measurements.end(),
                     [](const Measurement& m) { return m.quietness.noisy(); });
}

}  // namespace bankfull
