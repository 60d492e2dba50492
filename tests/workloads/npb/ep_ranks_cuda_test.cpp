#include "bankfull/workloads/npb/ep/ep.hpp"
#include "tests/alone.hpp"
#include "tests/core/comm/gpu_transports.hpp"

#include <cmath>

namespace bankfull::npb::ep {
namespace {

class EpOnGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (survey_gpus().gpus.empty()) {
      GTEST_SKIP() << survey_gpus().none_because;
    }
  }

  static Tally tally(Class size, const Communicator& ranks) {
    return tally_on_gpus(size, own_gpu(), ranks);
  }
};

TEST_F(EpOnGpus, FindWhatOneFinds) {
  const Tally one = tally(Class::w, alone());
  const Tally all = tally(Class::w, test_ranks());
  EXPECT_EQ(all.counts, one.counts);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_NEAR(all.sums[n], one.sums[n], 1e-12 * std::abs(one.sums[n]));
    EXPECT_NEAR(all.absolute_sums[n], one.absolute_sums[n], 1e-12 * one.absolute_sums[n]);
  }
}

TEST_F(EpOnGpus, GiveTheSameBitsOnAllRanksAndInEveryRun) {
  const Tally once = tally(Class::s, test_ranks());
  const Tally again = tally(Class::s, test_ranks());
  EXPECT_EQ(once.sums, again.sums);
  EXPECT_EQ(once.absolute_sums, again.absolute_sums);
  for (const auto& sums : test_ranks().all_gather(once.sums)) {
    EXPECT_EQ(sums, once.sums);
  }
}

}  // namespace
}  // namespace bankfull::npb::ep
