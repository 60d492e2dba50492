#include "bankfull/workloads/probe/plateaus.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace bankfull::probe {
namespace {

using Points = std::vector<std::pair<double, double>>;

struct Level {
  double capacity;
  double value;
};

/// Three points per octave from 4 KiB to 1 GiB; a size beyond a level's capacity is served by a mix
/// that turns into the next level's within an octave. Uniform relative noise.
Points stairs(const std::vector<Level>& levels, double noise, std::uint64_t seed = 1) {
  Points points;
  for (int step = 0; step <= 18 * 3; ++step) {
    const double size = 4096.0 * std::exp2(step / 3.0);
    double value = levels.front().value;
    for (std::size_t n = 0; n + 1 < levels.size(); ++n) {
      const double beyond = std::clamp(std::log2(size / levels[n].capacity), 0.0, 1.0);
      value *= std::pow(levels[n + 1].value / levels[n].value, beyond);
    }
    const double disturbance = noise * random_symmetric(seed, static_cast<std::uint64_t>(step));
    points.emplace_back(size, value * (1.0 + disturbance));
  }
  return points;
}

constexpr double never = 1e30;

void expect_levels(const std::vector<Level>& levels, const Points& points, double tolerance) {
  const std::vector<Plateau> plateaus = find_plateaus(points);
  ASSERT_EQ(plateaus.size(), levels.size());
  for (std::size_t n = 0; n < levels.size(); ++n) {
    EXPECT_EQ(plateaus[n].level, static_cast<int>(n) + 1);
    EXPECT_NEAR(plateaus[n].value / levels[n].value, 1.0, tolerance) << "level " << n + 1;
    if (n + 1 < levels.size()) {
      EXPECT_LE(plateaus[n].to, levels[n].capacity * 1.7) << "level " << n + 1;
      EXPECT_GE(plateaus[n].to, levels[n].capacity / 1.7) << "level " << n + 1;
      EXPECT_GT(plateaus[n + 1].from, plateaus[n].to);
    }
  }
}

const std::vector<Level> two{{32 * mib, 15.0}, {never, 100.0}};
const std::vector<Level> three{{48 * kib, 1.2}, {2 * mib, 5.0}, {never, 90.0}};
const std::vector<Level> four{{32 * kib, 1.3}, {512 * kib, 4.0}, {32 * mib, 17.0}, {never, 110.0}};

TEST(Plateaus, FoundInCleanCurves) {
  for (const auto& levels : {two, three, four}) {
    expect_levels(levels, stairs(levels, 0.0), 0.02);
  }
}

TEST(Plateaus, FoundUnderFivePercentNoise) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const auto& levels : {two, three, four}) {
      SCOPED_TRACE(testing::Message() << levels.size() << " levels, seed " << seed);
      expect_levels(levels, stairs(levels, 0.05, seed), 0.06);
    }
  }
}

TEST(Plateaus, FoundInFallingCurves) {
  const std::vector<Level> bandwidth{
      {64 * kib, 500e9}, {1 * mib, 200e9}, {32 * mib, 150e9}, {never, 35e9}};
  expect_levels(bandwidth, stairs(bandwidth, 0.03), 0.05);
}

TEST(Plateaus, OutliersDoNotSplitThem) {
  Points points = stairs(two, 0.02);
  points[10].second *= 2.0;
  points[25].second *= 1.5;
  expect_levels(two, points, 0.05);
}

TEST(Plateaus, ConstantCurveIsOne) {
  const std::vector<Plateau> plateaus = find_plateaus(stairs({{never, 7.0}}, 0.05));
  ASSERT_EQ(plateaus.size(), 1U);
  EXPECT_NEAR(plateaus[0].value, 7.0, 0.2);
  EXPECT_EQ(plateaus[0].from, 4096.0);
  EXPECT_EQ(plateaus[0].to, 4096.0 * std::exp2(18.0));
}

TEST(Plateaus, SlopesHaveNone) {
  Points points;
  for (int step = 0; step < 40; ++step) {
    points.emplace_back(4096.0 * std::exp2(step / 3.0), std::exp2(step / 6.0));
  }
  EXPECT_TRUE(find_plateaus(points).empty());
}

TEST(Plateaus, FewPointsHaveNone) {
  EXPECT_TRUE(find_plateaus({}).empty());
  EXPECT_TRUE(find_plateaus({{4096.0, 1.0}}).empty());
  EXPECT_TRUE(find_plateaus({{4096.0, 1.0}, {8192.0, 1.0}}).empty());
}

TEST(LevelName, IsTheSmallestCacheThatHoldsThePlateau) {
  const std::vector<CacheLevel> caches{
      {.level = 1, .bytes = 32768}, {.level = 2, .bytes = 1 << 20}, {.level = 3, .bytes = 1 << 25}};
  EXPECT_EQ(level_name(caches, 32768), "L1");
  EXPECT_EQ(level_name(caches, 40000), "L1");
  EXPECT_EQ(level_name(caches, 65536), "L2");
  EXPECT_EQ(level_name(caches, 16e6), "L3");
  EXPECT_EQ(level_name(caches, 64e6), "L3 and memory");
  EXPECT_EQ(level_name(caches, 256e6), "memory");
  EXPECT_EQ(level_name({}, 1024), "unknown level");
}

}  // namespace
}  // namespace bankfull::probe
