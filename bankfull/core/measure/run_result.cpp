#include "bankfull/core/measure/run_result.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull {

double Measurement::bytes_per_second() const { return traffic.bytes() / seconds.median; }

double Measurement::flops_per_second() const { return traffic.flops / seconds.median; }

std::optional<double> Measurement::percent_of_bankfull() const {
  if (!ceiling) {
    return std::nullopt;
  }
  return 100.0 * bytes_per_second() / ceiling->bytes_per_second;
}

double Check::deviation() const {
  const double difference = std::abs(value - reference);
  return reference == 0.0 ? difference : difference / std::abs(reference);
}

bool Check::passed() const { return deviation() <= tolerance; }

bool RunResult::verified() const {
  return std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.passed(); });
}

}  // namespace bankfull
