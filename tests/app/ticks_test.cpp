#include "bankfull/app/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

namespace bankfull {
namespace {

std::vector<std::string> labels_within(double least, double most, int at_most) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks_within(least, most, at_most)) {
    labels.push_back(tick.label);
  }
  return labels;
}

using Labels = std::vector<std::string>;

TEST(Ticks, AreRoundNumbersWithTheDigitsTheyNeed) {
  EXPECT_EQ(labels_within(0.0, 1.0, 6), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels_within(-1.0, 7.9, 5), (Labels{"0", "2", "4", "6"}));
  EXPECT_EQ(labels_within(300.0, 300.01, 3), (Labels{"300.000", "300.005", "300.010"}));
  EXPECT_EQ(labels_within(-3e-7, 3e-7, 5), (Labels{"-2e-07", "0", "2e-07"}));
  EXPECT_EQ(labels_within(0.0, 1.5e7, 4), (Labels{"0", "5e+06", "1.0e+07", "1.5e+07"}));
  EXPECT_EQ(labels_within(0.3, 0.4, 1), (Labels{"0.4"}));
}

TEST(Ticks, AreAbsentWhereThereIsNoScale) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(ticks_within(0.5, 0.5, 10).empty());
  EXPECT_TRUE(ticks_within(1.0, 0.0, 10).empty());
  EXPECT_TRUE(ticks_within(1.0, 1.0 + 1e-15, 10).empty());
  EXPECT_TRUE(ticks_within(nan, 1.0, 10).empty());
  EXPECT_TRUE(ticks_within(infinite, -infinite, 10).empty());
  EXPECT_TRUE(ticks_within(0.0, 1.0, 0).empty());
}

/// Ranges of all sizes, near zero and far from it.
TEST(Ticks, LieWithinTheRangeAndReadAsTheyAre) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int trial = 0; trial < 20'000; ++trial) {
    const double range = std::pow(10.0, 300.0 * unit(random));
    const double least = range * unit(random) * std::pow(10.0, 4.0 * unit(random));
    const int at_most = 3 + trial % 20;
    const std::vector<Tick> ticks = ticks_within(least, least + range, at_most);
    ASSERT_LE(std::ssize(ticks), at_most);
    ASSERT_GE(std::ssize(ticks), std::max(1, at_most / 3)) << least << " + " << range;
    std::set<std::string> labels;
    for (const Tick& tick : ticks) {
      ASSERT_GE(tick.value, least - 1e-8 * range);
      ASSERT_LE(tick.value, least + range * (1.0 + 1e-8));
      ASSERT_NEAR(std::stod(tick.label), tick.value, 1e-12 * std::abs(tick.value)) << tick.label;
      ASSERT_TRUE(labels.insert(tick.label).second) << tick.label;
    }
  }
}

}  // namespace
}  // namespace bankfull
