#include "bankfull/core/measure/ceiling.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

constexpr CeilingBudget small{.seconds = 0.0, .bytes = 64 * mib};

TEST(Ceiling, NamesItsMixAndIsPositive) {
  const Ceiling ceiling =
      measure_ceiling(Device::cpu(), 2, {.reads = 13, .writes = 1}, Precision::fp32, small);
  EXPECT_GT(ceiling.bytes_per_second, 1e8);
  EXPECT_GE(ceiling.seconds.samples.size(), 2U) << "never fewer passes, however short the time";
  EXPECT_TRUE(ceiling.name.starts_with("13 read : 1 write, fp32")) << ceiling.name;
}

class CeilingOfMix : public ::testing::TestWithParam<Mix> {};

TEST_P(CeilingOfMix, IsMeasuredWithThatMix) {
  const Ceiling ceiling = measure_ceiling(Device::cpu(), 2, GetParam(), Precision::fp64, small);
  EXPECT_GT(ceiling.bytes_per_second, 1e8);
  EXPECT_TRUE(ceiling.name.starts_with(to_string(GetParam()) + ", fp64")) << ceiling.name;
}

INSTANTIATE_TEST_SUITE_P(Mixes, CeilingOfMix,
                         ::testing::Values(Mix{4, 3}, Mix{7, 2}, Mix{1, 0}, Mix{0, 1}));

TEST(CeilingProbe, RepeatsAsOftenAsTheTimeAllows) {
  EXPECT_EQ(CeilingProbe::repeats_within(0.0, 1.0), 2);
  EXPECT_EQ(CeilingProbe::repeats_within(-3.0, 0.025), 4) << "a tenth of a second is always there";
  EXPECT_EQ(CeilingProbe::repeats_within(0.0, 0.001), CeilingProbe::max_repeats);
  EXPECT_EQ(CeilingProbe::repeats_within(5.5, 1.0), 5);
  EXPECT_EQ(CeilingProbe::repeats_within(1e9, 1.0), CeilingProbe::max_repeats);
}

TEST(CeilingProbe, TakesTheTimeOfTheSlowestThatSharesAPass) {
  CeilingProbe probe(Device::cpu(), 2, small.bytes);
  probe.choose({.reads = 2, .writes = 1}, Precision::fp64);
  int begun = 0;
  int asked = 0;
  const auto slowest = [&](double seconds) {
    EXPECT_EQ(++asked, begun) << "each pass begins together";
    EXPECT_GT(seconds, 0.0);
    return asked == 3 ? 50.0 : 100.0;
  };
  const Ceiling ceiling = probe.measure(4, {.begin = [&] { ++begun; }, .slowest = slowest});
  EXPECT_EQ(begun, 8) << "ordinary and streaming stores, four passes each";
  EXPECT_DOUBLE_EQ(ceiling.bytes_per_second, ceiling.working_set_bytes / 50.0);
  EXPECT_EQ(ceiling.seconds.min, 50.0);
}

TEST(CeilingWorkingSet, IsBeyondTheCachesUnlessBounded) {
  // Other processes may take memory between the two questions for it.
  const std::int64_t affordable = free_bytes(Device::cpu()) / 3;
  const std::int64_t wanted = 8 * last_cache_bytes(Device::cpu());
  EXPECT_GE(ceiling_working_set(Device::cpu(), 1), std::min(wanted, affordable));
  EXPECT_GE(ceiling_working_set(Device::cpu(), 1), 256 * mib);
  EXPECT_EQ(ceiling_working_set(Device::cpu(), 1, 64 * mib), 64 * mib);
}

TEST(Ceiling, DriftIsTheRangeOfItsRatesOverTheBest) {
  EXPECT_EQ(Ceiling{}.drift(), 0.0);
  EXPECT_DOUBLE_EQ((Ceiling{.rates = {8.0, 10.0, 9.0}}.drift()), 0.2);
}

}  // namespace
}  // namespace bankfull
