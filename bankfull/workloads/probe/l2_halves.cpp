#include "bankfull/workloads/probe/l2_halves.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/team.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace bankfull::probe {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sets the means of a split from its modes; false where one is empty.
bool set_means(const std::vector<double>& values, Split& split) {
  double sums[2] = {0.0, 0.0};
  double counts[2] = {0.0, 0.0};
  for (std::size_t n = 0; n < values.size(); ++n) {
    const int mode = split.is_upper[n] ? 1 : 0;
    sums[mode] += values[n];
    counts[mode] += 1.0;
  }
  if (counts[0] == 0.0 || counts[1] == 0.0) {
    return false;
  }
  split.lower = sums[0] / counts[0];
  split.upper = sums[1] / counts[1];
  return true;
}

/// Standard deviation of the values from the means of their modes.
double spread_within(const std::vector<double>& values, const Split& split) {
  double squares = 0.0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double deviation = values[n] - (split.is_upper[n] ? split.upper : split.lower);
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

/// Indices at which the values are (or are not) equal to `value`.
std::vector<std::uint32_t> where(const std::vector<int>& values, int value, bool equal) {
  std::vector<std::uint32_t> indices;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if ((values[n] == value) == equal) {
      indices.push_back(static_cast<std::uint32_t>(n));
    }
  }
  return indices;
}

/// Divides lines among members.
void deal(const std::vector<std::uint32_t>& lines, const std::vector<std::uint32_t>& members,
          LineLists& lists) {
  for (std::size_t n = 0; n < members.size(); ++n) {
    const Range range = share(static_cast<std::int64_t>(lines.size()), static_cast<int>(n),
                              static_cast<int>(members.size()));
    lists[members[n]].assign(lines.begin() + range.begin, lines.begin() + range.end);
  }
}

}  // namespace

bool Split::has_two_modes() const {
  constexpr double least_separation = 5.0;
  constexpr double least_share = 0.1;
  const auto count = static_cast<double>(is_upper.size());
  const auto upper_count = static_cast<double>(std::ranges::count(is_upper, true));
  return separation >= least_separation && upper_count >= least_share * count &&
         upper_count <= (1.0 - least_share) * count;
}

Split two_means(const std::vector<double>& values) {
  expects(values.size() >= 2, "there are values to divide");
  const auto [least, most] = std::ranges::minmax(values);
  Split split{.is_upper = std::vector<bool>(values.size(), false), .lower = least, .upper = most};
  if (least == most) {
    return split;
  }
  constexpr int max_steps = 100;
  for (int step = 0; step < max_steps; ++step) {
    const double boundary = 0.5 * (split.lower + split.upper);
    bool changed = false;
    for (std::size_t n = 0; n < values.size(); ++n) {
      const bool upper = values[n] > boundary;
      changed = changed || upper != split.is_upper[n];
      split.is_upper[n] = upper;
    }
    if (!changed || !set_means(values, split)) {
      break;
    }
  }
  const double spread = spread_within(values, split);
  const double distance = split.upper - split.lower;
  split.separation = spread > 0.0 ? distance / spread : std::numeric_limits<double>::infinity();
  return split;
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

LineLists line_lists(const L2Halves& halves, LineChoice choice) {
  LineLists lists(halves.group_of_multiprocessor.size());
  if (choice == LineChoice::all) {
    std::vector<std::uint32_t> lines(halves.group_of_line.size());
    std::vector<std::uint32_t> members(lists.size());
    std::iota(lines.begin(), lines.end(), 0U);
    std::iota(members.begin(), members.end(), 0U);
    deal(lines, members, lists);
    return lists;
  }
  for (const int group : {0, 1}) {
    deal(where(halves.group_of_line, group, choice == LineChoice::near),
         where(halves.group_of_multiprocessor, group, true), lists);
  }
  return lists;
}

HalfLatencies half_latencies(const L2Halves& halves,
                             const std::array<std::vector<double>, 2>& latencies) {
  const auto lines = static_cast<double>(halves.group_of_line.size());
  HalfLatencies mean;
  for (std::size_t line = 0; line < halves.group_of_line.size(); ++line) {
    const int group = halves.group_of_line[line];
    mean.near += latencies[group == 0 ? 0 : 1][line] / lines;
    mean.far += latencies[group == 0 ? 1 : 0][line] / lines;
  }
  return mean;
}

}  // namespace bankfull::probe
