#include "bankfull/core/machine/latency_groups.hpp"

#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace bankfull {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sets the mean of each mode; false where one has no values.
bool set_means(const std::vector<double>& values, TwoModes& modes) {
  double sums[2] = {0.0, 0.0};
  double counts[2] = {0.0, 0.0};
  for (std::size_t n = 0; n < values.size(); ++n) {
    const int mode = modes.is_upper[n] ? 1 : 0;
    sums[mode] += values[n];
    counts[mode] += 1.0;
  }
  if (counts[0] == 0.0 || counts[1] == 0.0) {
    return false;
  }
  modes.lower = sums[0] / counts[0];
  modes.upper = sums[1] / counts[1];
  return true;
}

/// Standard deviation of the values from the means of their modes.
double spread_within(const std::vector<double>& values, const TwoModes& modes) {
  double squares = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double deviation = values[n] - (modes.is_upper[n] ? modes.upper : modes.lower);
    squares += deviation * deviation;
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// Without the means of columns and then of rows.
std::vector<std::vector<double>> centred(std::vector<std::vector<double>> rows) {
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    double sum = 0.0;
    for (const std::vector<double>& row : rows) {
      sum += row[column];
    }
    for (std::vector<double>& row : rows) {
      row[column] -= sum / static_cast<double>(rows.size());
    }
  }
  for (std::vector<double>& row : rows) {
    const double mean = mean_of(row);
    for (double& value : row) {
      value -= mean;
    }
  }
  return rows;
}

}  // namespace

bool TwoModes::has_two_modes() const {
  constexpr double least_separation = 5.0;
  constexpr double least_share = 0.1;
  const auto count = static_cast<double>(is_upper.size());
  const auto upper_count = static_cast<double>(std::ranges::count(is_upper, true));
  return separation >= least_separation && upper_count >= least_share * count &&
         upper_count <= (1.0 - least_share) * count;
}

TwoModes two_means(const std::vector<double>& values) {
  expects(values.size() >= 2, "there are values to divide");
  const auto [least, most] = std::ranges::minmax(values);
  TwoModes modes{
      .is_upper = std::vector<bool>(values.size(), false), .lower = least, .upper = most};
  if (least == most) {
    return modes;
  }
  constexpr int max_steps = 100;
  for (int step = 0; step < max_steps; ++step) {
    const double boundary = 0.5 * (modes.lower + modes.upper);
    bool changed = false;
    for (std::size_t n = 0; n < values.size(); ++n) {
      const bool upper = values[n] > boundary;
      changed = changed || upper != modes.is_upper[n];
      modes.is_upper[n] = upper;
    }
    if (!changed || !set_means(values, modes)) {
      break;
    }
  }
  const double spread = spread_within(values, modes);
  const double distance = modes.upper - modes.lower;
  modes.separation = spread > 0.0 ? distance / spread : std::numeric_limits<double>::infinity();
  return modes;
}

std::vector<int> group_by_correlation(const std::vector<std::vector<double>>& latencies) {
  expects(!latencies.empty() && !latencies.front().empty(), "there are latencies");
  const std::vector<std::vector<double>> rows = centred(latencies);
  std::vector<int> groups;
  groups.reserve(rows.size());
  for (const std::vector<double>& row : rows) {
    const double covariance = std::inner_product(row.begin(), row.end(), rows.front().begin(), 0.0);
    groups.push_back(covariance >= 0.0 ? 0 : 1);
  }
  return groups;
}

}  // namespace bankfull
