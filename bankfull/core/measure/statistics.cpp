#include "bankfull/core/measure/statistics.hpp"

#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <cstddef>

namespace bankfull {

Statistics summarise(std::vector<double> samples) {
  expects(!samples.empty(), "statistics need a sample");
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  const double median =
      sorted.size() % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
  return {
      .samples = std::move(samples), .median = median, .min = sorted.front(), .max = sorted.back()};
}

}  // namespace bankfull
