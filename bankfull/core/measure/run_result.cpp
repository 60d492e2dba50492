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

bool RunResult::noisy() const {
  return std::any_of(measurements.begin(), measurements.end(),
                     [](const Measurement& m) { return m.quietness.noisy(); });
}

}  // namespace bankfull
