#include "bankfull/core/machine/latency_groups.hpp"

#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

/// Numbers from -1 to 1, the same everywhere.
double noise(std::size_t n) {
  return 2.0 * static_cast<double>(std::mt19937_64(n)() >> 11) * 0x1p-53 - 1.0;
}

TEST(TwoMeans, FindsTwoModes) {
  std::vector<double> values;
  for (std::size_t n = 0; n < 1000; ++n) {
    values.push_back((n % 3 == 0 ? 200.0 : 100.0) + 5.0 * noise(n));
  }
  const TwoModes modes = two_means(values);
  EXPECT_NEAR(modes.lower, 100.0, 1.0);
  EXPECT_NEAR(modes.upper, 200.0, 1.0);
  EXPECT_GT(modes.separation, 20.0);
  EXPECT_TRUE(modes.has_two_modes());
  for (std::size_t n = 0; n < values.size(); ++n) {
    EXPECT_EQ(modes.is_upper[n], n % 3 == 0) << n;
  }
}

TEST(TwoMeans, DoesNotSplitOneMode) {
  std::vector<double> uniform;
  std::vector<double> bell;
  for (std::size_t n = 0; n < 4000; ++n) {
    uniform.push_back(static_cast<double>(n));
    double sum = 0.0;
    for (std::size_t k = 0; k < 8; ++k) {
      sum += noise(8 * n + k);
    }
    bell.push_back(sum);
  }
  EXPECT_NEAR(two_means(uniform).separation, 2.0 * std::sqrt(3.0), 0.01);
  EXPECT_FALSE(two_means(uniform).has_two_modes());
  EXPECT_NEAR(two_means(bell).separation, 2.65, 0.2);
  EXPECT_FALSE(two_means(bell).has_two_modes());
}

TEST(TwoMeans, OutliersAreNoMode) {
  std::vector<double> values(1000, 1.0);
  values[17] = 50.0;
  const TwoModes modes = two_means(values);
  EXPECT_TRUE(modes.is_upper[17]);
  EXPECT_FALSE(modes.has_two_modes());
}

TEST(TwoMeans, EqualValuesAreOneMode) {
  const TwoModes modes = two_means({3.0, 3.0, 3.0});
  EXPECT_EQ(modes.separation, 0.0);
  EXPECT_FALSE(modes.has_two_modes());
}

/// Latencies of lines as seen by multiprocessors of two halves, which are `far` clocks apart.
std::vector<std::vector<double>> latencies_of(const std::vector<int>& units,
                                              const std::vector<int>& lines, double far) {
  std::vector<std::vector<double>> latencies;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    std::vector<double> row;
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const double way = 30.0 * noise(line);  // lines that are far from all multiprocessors
      row.push_back(600.0 + way + 3.0 * noise(1000 * unit + line) + static_cast<double>(unit) +
                    (units[unit] == lines[line] ? 0.0 : far));
    }
    latencies.push_back(std::move(row));
  }
  return latencies;
}

TEST(GroupByCorrelation, FindsTheHalvesOfUnequalGroups) {
  const std::vector<int> units{0, 1, 1, 0, 1, 1, 1};
  std::vector<int> lines;
  for (std::size_t n = 0; n < 200; ++n) {
    lines.push_back(noise(n + 7) > 0.2 ? 1 : 0);
  }
  EXPECT_EQ(group_by_correlation(latencies_of(units, lines, 40.0)), units);
  const std::vector<int> swapped{1, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(group_by_correlation(latencies_of(swapped, lines, 40.0)), units)
      << "the first one's group is 0";
}

}  // namespace
}  // namespace bankfull
