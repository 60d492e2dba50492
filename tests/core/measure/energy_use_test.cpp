#include "bankfull/core/measure/energy_use.hpp"

#include "tests/alone.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull {
namespace {

CounterReading reading(double seconds, std::optional<double> gpu, std::optional<double> package,
                       double power_capped = 0.0) {
  CounterReading now{.seconds = seconds};
  now.energy[EnergyDomain::gpu] = gpu;
  now.energy[EnergyDomain::package] = package;
  now.gpu_throttle.resize(1);
  now.gpu_throttle.front()[Throttle::power_cap] = power_capped;
  return now;
}

/// One window of so many seconds at 400 W on the GPU and 100 W on the processors.
CounterTally at_400_watts(double seconds, double timed_share = 1.0) {
  CounterTally tally;
  tally.add(reading(5.0, 1000.0, 10.0),
            reading(5.0 + seconds, 1000.0 + 400.0 * seconds, 10.0 + 100.0 * seconds),
            timed_share * seconds);
  return tally;
}

EnergyUse gpu_energy(const CounterTally& tally) {
  return energy_use(tally, "", Device::cuda(0), alone());
}

TEST(EnergyUse, OfAGpuIsThatOfItsBoard) {
  const EnergyUse use = gpu_energy(at_400_watts(10.0));
  ASSERT_TRUE(use.is_known()) << use.unknown_because;
  EXPECT_DOUBLE_EQ(use.joules, 4000.0);
  EXPECT_DOUBLE_EQ(use.watts().value_or(0.0), 400.0);
  EXPECT_EQ(use.covers, "GPU boards");
  EXPECT_DOUBLE_EQ(use.uncertainty, 0.01) << "one step of 0.1 s in 10 s";
  ASSERT_EQ(use.domains.size(), 2U);
  EXPECT_EQ(use.domains[1].name, "package") << "told, but not added";
}

TEST(EnergyUse, OnProcessorsHasTheirMemoryWhereItIsCounted) {
  CounterReading before = reading(0.0, std::nullopt, 10.0);
  CounterReading after = reading(1.0, std::nullopt, 110.0);
  CounterTally without;
  without.add(before, after, 1.0);
  const EnergyUse packages = energy_use(without, "", Device::cpu(), alone());
  EXPECT_DOUBLE_EQ(packages.joules, 100.0);
  EXPECT_EQ(packages.covers, "processors without their memory");
  before.energy[EnergyDomain::dram] = 1.0;
  after.energy[EnergyDomain::dram] = 21.0;
  CounterTally with;
  with.add(before, after, 1.0);
  const EnergyUse both = energy_use(with, "", Device::cpu(), alone());
  EXPECT_DOUBLE_EQ(both.joules, 120.0);
  EXPECT_EQ(both.covers, "processors and their memory");
}

TEST(EnergyUse, OfTooShortARunIsNoFigure) {
  const EnergyUse use = gpu_energy(at_400_watts(0.9));
  EXPECT_FALSE(use.is_known());
  EXPECT_FALSE(use.watts().has_value());
  EXPECT_EQ(use.joules, 0.0);
  EXPECT_NE(use.unknown_because.find("too short"), std::string::npos) << use.unknown_because;
  EXPECT_TRUE(gpu_energy(at_400_watts(1.01)).is_known()) << "ten steps of the counter";
  EXPECT_TRUE(energy_use(at_400_watts(0.02), "", Device::cpu(), alone()).is_known())
      << "the processors' counters advance each millisecond";
}

TEST(EnergyUse, OfACounterThatStandsStillIsNoFigure) {
  CounterTally tally;
  tally.add(reading(0.0, 1000.0, 10.0), reading(10.0, 1000.0, 20.0), 10.0);
  EXPECT_EQ(gpu_energy(tally).unknown_because, "the counter did not advance");
}

TEST(EnergyUse, OfACounterThatWasResetIsNoFigure) {
  CounterTally tally;
  tally.add(reading(0.0, 1000.0, 10.0), reading(10.0, 3.0, 20.0), 10.0);
  EXPECT_NE(gpu_energy(tally).unknown_because.find("reset"), std::string::npos);
}

TEST(EnergyUse, AcrossAGapOfTheCountersIsNoFigure) {
  CounterReading after = reading(10.0, 2000.0, 200.0);
  after.energy.gaps.at(static_cast<std::size_t>(EnergyDomain::package)) = 1;
  CounterTally tally;
  tally.add(reading(0.0, 1000.0, 10.0), after, 10.0);
  EXPECT_FALSE(energy_use(tally, "", Device::cpu(), alone()).is_known());
  EXPECT_TRUE(gpu_energy(tally).is_known()) << "the GPU's has none";
}

TEST(EnergyUse, OfWindowsThatAreMostlyOtherWorkIsNoFigure) {
  const EnergyUse use = gpu_energy(at_400_watts(10.0, 0.5));
  EXPECT_EQ(use.unknown_because, "only 50 % of the time between the readings was timed");
}

TEST(EnergyUse, ThatCannotBeReadSaysWhy) {
  EXPECT_EQ(energy_use(at_400_watts(10.0), "no", Device::cpu(), alone()).unknown_because, "no");
  EXPECT_EQ(gpu_energy({}).unknown_because, "the counters were not read");
}

TEST(CounterTally, JoinsWindowsThatFollowEachOther) {
  CounterTally tally;
  tally.add(reading(0.0, 0.0, 0.0), reading(1.0, 400.0, 0.0), 1.0);
  tally.add(reading(1.001, 401.0, 0.0), reading(2.0, 800.0, 0.0), 1.0);
  EXPECT_EQ(tally.windows(), 1);
  EXPECT_DOUBLE_EQ(tally.seconds(), 2.0);
  EXPECT_DOUBLE_EQ(tally.joules(EnergyDomain::gpu).value_or(0.0), 800.0)
      << "with what lies between";
  tally.add(reading(5.0, 1600.0, 0.0), reading(6.0, 2000.0, 0.0), 1.0);
  EXPECT_EQ(tally.windows(), 2);
  EXPECT_DOUBLE_EQ(tally.seconds(), 3.0);
  EXPECT_DOUBLE_EQ(tally.joules(EnergyDomain::gpu).value_or(0.0), 1200.0)
      << "without what lies between";
}

TEST(CounterTally, SeveralWindowsAreLessCertain) {
  EXPECT_DOUBLE_EQ(energy_uncertainty(0.1, 1, 10.0), 0.01);
  EXPECT_DOUBLE_EQ(energy_uncertainty(0.1, 4, 10.0), 0.02);
  EXPECT_TRUE(is_long_enough(0.1, 4, 2.0));
  EXPECT_FALSE(is_long_enough(0.1, 4, 1.9));
  EXPECT_FALSE(is_long_enough(0.1, 0, 10.0));
}

TEST(ThrottledShares, AreOfTheWindows) {
  CounterTally tally;
  tally.add(reading(0.0, 0.0, 0.0, 7.0), reading(10.0, 1.0, 1.0, 9.5), 10.0);
  const auto shares = throttled_shares(tally, alone()).value_or(std::vector<ThrottledShare>{});
  ASSERT_EQ(shares.size(), 1U) << "other reasons are not counted";
  EXPECT_EQ(shares.front().reason, Throttle::power_cap);
  EXPECT_DOUBLE_EQ(shares.front().share, 0.25);
}

TEST(ThrottledShares, OfSeveralGpusAreOfTheOneThrottledLongest) {
  CounterReading before = reading(0.0, 0.0, 0.0, 100.0);
  CounterReading after = reading(10.0, 1.0, 1.0, 101.0);
  before.gpu_throttle.emplace_back()[Throttle::power_cap] = 3.0;
  after.gpu_throttle.emplace_back()[Throttle::power_cap] = 8.0;
  CounterTally tally;
  tally.add(before, after, 10.0);
  EXPECT_DOUBLE_EQ(tally.throttled(Throttle::power_cap).value_or(0.0), 0.5);
}

TEST(ThrottledShares, AreUnknownWithoutCounters) {
  CounterTally tally;
  tally.add({.seconds = 0.0}, {.seconds = 10.0}, 10.0);
  EXPECT_FALSE(throttled_shares(tally, alone()).has_value());
  EXPECT_FALSE(throttled_shares({}, alone()).has_value());
}

}  // namespace
}  // namespace bankfull
