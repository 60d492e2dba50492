#include "bankfull/core/measure/ceiling.hpp"

#include "bankfull/core/base/bytes.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(Ceiling, NamesItsMixAndIsPositive) {
  const Ceiling ceiling = measure_ceiling(Device::cpu(), 2, 13, Precision::fp32, 1, 2);
  EXPECT_GT(ceiling.bytes_per_second, 1e8);
  EXPECT_EQ(ceiling.seconds.samples.size(), 2U);
  EXPECT_TRUE(ceiling.name.starts_with("13 read : 1 write, fp32")) << ceiling.name;
}

class CeilingOfMix : public ::testing::TestWithParam<Mix> {};

TEST_P(CeilingOfMix, IsMeasuredWithThatMix) {
  const Ceiling ceiling = measure_ceiling(Device::cpu(), 2, GetParam(), Precision::fp64, 1, 1);
  EXPECT_GT(ceiling.bytes_per_second, 1e8);
  EXPECT_TRUE(ceiling.name.starts_with(to_string(GetParam()) + ", fp64")) << ceiling.name;
}

INSTANTIATE_TEST_SUITE_P(Mixes, CeilingOfMix,
                         ::testing::Values(Mix{4, 3}, Mix{7, 2}, Mix{1, 0}, Mix{0, 1}));

TEST(Ceiling, IsBriefForRunsThatMoveLittleOnACpu) {
  EXPECT_EQ(ceiling_repeats_of_run(Device::cpu(), 1e9), brief_ceiling_repeats);
  EXPECT_EQ(ceiling_repeats_of_run(Device::cpu(), 1.1e9), usual_ceiling_repeats);
  EXPECT_EQ(ceiling_repeats_of_run(Device::cuda(0), 1.0), usual_ceiling_repeats);
}

TEST(Ceiling, BriefOnesAreBeyondTheCachesToo) {
  const Ceiling brief = measure_ceiling(Device::cpu(), 1, 1, Precision::fp64, 1, 1);
  const auto cache = static_cast<double>(last_cache_bytes(Device::cpu()));
  EXPECT_GE(brief.working_set_bytes, 1.9 * cache);  // whole chunks of each stream
  EXPECT_LE(brief.working_set_bytes, std::max(2.0 * cache, 64.0 * mib));
  EXPECT_EQ(brief.seconds.samples.size(), 1U);
}

TEST(Ceiling, WorkingSetIsBeyondTheCaches) {
  const std::int64_t bytes = memory_working_set(Device::cpu(), 1);
  EXPECT_GE(bytes, 8 * last_cache_bytes(Device::cpu()));
}

}  // namespace
}  // namespace bankfull
