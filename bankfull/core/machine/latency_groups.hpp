#pragma once

#include <vector>

namespace bankfull {

/// Values divided into a lower and an upper mode.
struct TwoModes {
  std::vector<bool> is_upper;  ///< of each value
  double lower = 0.0;          ///< mean of the lower mode
  double upper = 0.0;          ///< mean of the upper mode

  /// Distance between the means in units of the standard deviation within the modes. A single mode
  /// cut in two has 2.7 if it is normal and 3.5 if it is uniform.
  double separation = 0.0;

  /// Whether these are two modes: well apart, and neither holds less than a tenth of the values.
  [[nodiscard]] bool has_two_modes() const;
};

/// The division into two sets with the least sum of squared distances from their means, by Lloyd's
/// iteration from the extremes. Requires at least two values.
TwoModes two_means(const std::vector<double>& values);

/// Divides the rows of a matrix, the latencies of lines from each multiprocessor, into groups 0 and
/// 1: group 0 has the rows that correlate positively with the first. Means of columns and of rows
/// are taken away before, so that lines which are far from all multiprocessors do not matter.
std::vector<int> group_by_correlation(const std::vector<std::vector<double>>& latencies);

}  // namespace bankfull
