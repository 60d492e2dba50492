#pragma once

#include <vector>

namespace bankfull {

/// Summary of repeated measurements of one quantity.
struct Statistics {
  std::vector<double> samples;  ///< in the order measured
  double median = 0.0;          ///< of an even number of samples, the mean of the two middle ones
  double min = 0.0;             ///< of times, the fastest
  double max = 0.0;             ///< of times, the slowest

  /// (max - min) / median.
  [[nodiscard]] double spread() const { return median > 0.0 ? (max - min) / median : 0.0; }
};

/// Requires at least one sample. The median of an even number is the mean of the two middle ones.
Statistics summarise(std::vector<double> samples);

/// Of numbers that belong to samples, as many and in the same order, that of the sample which is
/// the median; the mean of two where the median is.
double at_median(const std::vector<double>& samples, const std::vector<double>& numbers);

}  // namespace bankfull
