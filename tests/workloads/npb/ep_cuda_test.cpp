#include "bankfull/workloads/npb/ep/ep.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb::ep {
namespace {

void expect_near(const std::array<double, 2>& found, const std::array<double, 2>& expected) {
  for (std::size_t n = 0; n < found.size(); ++n) {
    EXPECT_NEAR(found[n], expected[n], 1e-12 * std::abs(expected[n]));
  }
}

TEST(EpOnGpu, TalliesAsTheReferenceDoes) {
  const Tally expected = tally_serially(Class::s);
  const Tally found = tally_on_gpus(Class::s, Device::cuda(0), alone());
  EXPECT_EQ(found.counts, expected.counts);
  expect_near(found.sums, expected.sums);
  expect_near(found.absolute_sums, expected.absolute_sums);
}

TEST(EpOnGpu, GivesTheSameBitsInEveryRun) {
  const Tally once = tally_on_gpus(Class::w, Device::cuda(0), alone());
  const Tally again = tally_on_gpus(Class::w, Device::cuda(0), alone());
  EXPECT_EQ(once.counts, again.counts);
  EXPECT_EQ(once.sums, again.sums);
  EXPECT_EQ(once.absolute_sums, again.absolute_sums);
}

// Class B is the smallest with pairs in bin 6.
TEST(EpOnGpu, CountsRareBins) {
  const Tally found = tally_on_gpus(Class::b, Device::cuda(0), alone());
  const std::array<std::int64_t, bins> expected{393058470, 375280898, 70460742, 4438852, 105691,
                                                948,       5,         0,        0,       0};
  EXPECT_EQ(found.counts, expected);
}

}  // namespace
}  // namespace bankfull::npb::ep
