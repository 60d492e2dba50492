#include "bankfull/core/measure/statistics.hpp"

#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

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

double at_median(const std::vector<double>& samples, const std::vector<double>& numbers) {
  expects(!samples.empty() && samples.size() == numbers.size(), "every sample has its number");
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return samples[a] < samples[b]; });
  const std::size_t below = order[(order.size() - 1) / 2];
  const std::size_t above = order[order.size() / 2];
  return 0.5 * (numbers[below] + numbers[above]);
}

}  // namespace bankfull
