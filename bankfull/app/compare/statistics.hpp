#pragma once

#include <optional>
#include <vector>

namespace bankfull::compare {

/// The repeats of one run: seconds per unit of work, each positive.
using Times = std::vector<double>;

/// What a quantity lies between with 95 % confidence.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

/// How much faster the new runs were: above 1 where they took less time.
struct SpeedRatio {
  double value = 0.0;
  std::optional<Interval> interval = {};  ///< empty for fewer than `fewest_samples` of either
};

inline constexpr int fewest_samples = 3;

/// The median over runs of the median of each; at least one run, each with at least one sample.
double median_over_runs(const std::vector<Times>& runs);

/// The ratio of the medians over runs, old time by new time. Its interval is that of a bootstrap
/// (Efron and Tibshirani, "An introduction to the bootstrap", 1993, chapter 13), which draws runs
/// and then the samples of each. It begins with a fixed seed: the same samples give the same
/// interval. Requires runs like median_over_runs.
SpeedRatio speed_ratio(const std::vector<Times>& old_runs, const std::vector<Times>& new_runs);

}  // namespace bankfull::compare
