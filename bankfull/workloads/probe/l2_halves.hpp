#pragma once

#include "bankfull/workloads/probe/l2_lines.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::probe {

/// Values divided into a lower and an upper mode.
struct Split {
  std::vector<bool> is_upper;  ///< of each value
  double lower = 0.0;          ///< mean of the lower mode
  double upper = 0.0;

  /// Distance between the means in units of the standard deviation within the modes. A single mode
  /// cut in two has 2.7 if it is normal and 3.5 if it is uniform.
  double separation = 0.0;

  /// Whether these are two modes: well apart, and neither holds less than a tenth of the values.
  [[nodiscard]] bool has_two_modes() const;
};

/// The division into two sets with the least sum of squared distances from their means, by Lloyd's
/// iteration from the extremes. Requires at least two values.
Split two_means(const std::vector<double>& values);

/// Divides the rows of a matrix, the latencies of lines from each multiprocessor, into groups 0 and
/// 1: group 0 has the rows that correlate positively with the first. Means of columns and of rows
/// are taken away before, so that lines which are far from all multiprocessors do not matter.
std::vector<int> group_by_correlation(const std::vector<std::vector<double>>& latencies);

/// Which lines a multiprocessor accesses.
enum class LineChoice { near, far, all };

/// Lines and multiprocessors by the half of L2 that they belong to.
struct L2Halves {
  std::vector<int> group_of_multiprocessor;
  std::vector<int> group_of_line;
};

/// The lines of each multiprocessor: those of the choice are divided evenly among the
/// multiprocessors that have the same choice.
LineLists line_lists(const L2Halves& halves, LineChoice choice);

/// Clocks of accesses to lines of the multiprocessor's own half and of the other one.
struct HalfLatencies {
  double near = 0.0;
  double far = 0.0;
};

/// From the mean latencies of each line as the two groups see it.
HalfLatencies half_latencies(const L2Halves& halves,
                             const std::array<std::vector<double>, 2>& latencies);

}  // namespace bankfull::probe
