#include "bankfull/app/compare/statistics.hpp"

#include "bankfull/numerics/random/counter.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <numbers>

namespace bankfull::compare {
namespace {

/// Samples of a normal distribution, by Box and Muller.
Times normal_times(double mean, double deviation, int count, std::uint64_t seed) {
  Times times;
  for (int n = 0; n < count; ++n) {
    const auto draw = [&](std::uint64_t index) {
      return 0.5 * (random_symmetric(seed, 2 * static_cast<std::uint64_t>(n) + index) + 1.0);
    };
    const double radius = std::sqrt(-2.0 * std::log(1.0 - draw(0)));
    times.push_back(mean + deviation * radius * std::cos(2.0 * std::numbers::pi * draw(1)));
  }
  return times;
}

TEST(MedianOverRuns, IsTheMedianOfTheMedians) {
  EXPECT_EQ(median_over_runs({{3.0, 1.0, 2.0}}), 2.0);
  EXPECT_EQ(median_over_runs({{4.0, 1.0}}), 2.5);
  // A run with many samples counts as one.
  EXPECT_EQ(median_over_runs({{1.0}, {2.0}, {9.0, 9.0, 9.0, 9.0, 9.0}}), 2.0);
}

TEST(SpeedRatio, IsAboveOneWhereTheNewOnesTakeLess) {
  const SpeedRatio ratio = speed_ratio({{2.0, 2.0, 2.0}}, {{1.0, 1.0, 1.0}});
  EXPECT_EQ(ratio.value, 2.0);
  ASSERT_TRUE(ratio.interval);
  EXPECT_EQ(ratio.interval->low, 2.0);
  EXPECT_EQ(ratio.interval->high, 2.0);
}

TEST(SpeedRatio, HasNoIntervalOfFewSamples) {
  EXPECT_FALSE(speed_ratio({{1.0, 1.0}}, {{1.0, 1.0, 1.0}}).interval);
  EXPECT_FALSE(speed_ratio({{1.0, 1.0, 1.0}}, {{1.0}, {1.0}}).interval);
  EXPECT_TRUE(speed_ratio({{1.0}, {1.0}, {1.0}}, {{1.0, 1.0}, {1.0}}).interval);
}

TEST(SpeedRatio, IsTheSameEachTime) {
  const std::vector<Times> before{normal_times(1.0, 0.1, 20, 1)};
  const std::vector<Times> after{normal_times(1.0, 0.1, 20, 2)};
  const SpeedRatio once = speed_ratio(before, after);
  const SpeedRatio again = speed_ratio(before, after);
  EXPECT_EQ(once.interval->low, again.interval->low);
  EXPECT_EQ(once.interval->high, again.interval->high);
}

TEST(SpeedRatio, IntervalsHoldTheTruthInNinetyFiveOfAHundredTrials) {
  constexpr int trials = 300;
  constexpr double truth = 1.25;
  int held = 0;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const SpeedRatio ratio = speed_ratio({normal_times(1.25, 0.05, 15, 2 * trial)},
                                         {normal_times(1.0, 0.05, 15, 2 * trial + 1)});
    held += ratio.interval->contains(truth) ? 1 : 0;
  }
  // Three deviations of the count below 95 %; bootstraps of medians err on the side of wide
  // intervals.
  EXPECT_GE(held, 0.91 * trials);
  EXPECT_LT(held, trials);
}

TEST(SpeedRatio, IntervalsShrinkWithTheRootOfTheSamples) {
  const auto width = [](int count) {
    const SpeedRatio ratio =
        speed_ratio({normal_times(1.0, 0.05, count, 5)}, {normal_times(1.0, 0.05, count, 6)});
    return ratio.interval->high - ratio.interval->low;
  };
  EXPECT_NEAR(width(50) / width(800), 4.0, 1.6);
}

TEST(SpeedRatio, RunsThatDifferWidenTheInterval) {
  const std::vector<Times> alike{{1.0, 1.01, 1.02}, {1.0, 1.01, 1.02}, {1.0, 1.01, 1.02}};
  const std::vector<Times> apart{{1.0, 1.01, 1.02}, {1.1, 1.11, 1.12}, {1.2, 1.21, 1.22}};
  const auto width = [](const SpeedRatio& ratio) {
    return ratio.interval->high - ratio.interval->low;
  };
  EXPECT_GT(width(speed_ratio(apart, apart)), 4.0 * width(speed_ratio(alike, alike)));
}

}  // namespace
}  // namespace bankfull::compare
