#include "bankfull/workloads/npb/is/count_choice.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb::is {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

TEST(IsCountChoice, CountsByValueWhereTheCountsStayNear) {
  const TeamCaches caches{.near = 2 * mib, .far = 30 * mib};
  for (const int threads : {1, 2, 16}) {
    EXPECT_EQ(better_counts(Class::a, threads, caches), IsCounts::values);
    EXPECT_EQ(better_counts(Class::b, threads, caches), IsCounts::values);
  }
}

TEST(IsCountChoice, CountsByValueWhereTheLastCacheHoldsTheCountsOfFewThreads) {
  const TeamCaches caches{.near = mib, .far = 32 * mib};
  EXPECT_EQ(better_counts(Class::c, 2, caches), IsCounts::values);
  EXPECT_EQ(better_counts(Class::c, 16, caches), IsCounts::buckets);
  const TeamCaches of_a_socket{.near = 2 * mib, .far = 300 * mib};
  EXPECT_EQ(better_counts(Class::c, 2, of_a_socket), IsCounts::values);
  EXPECT_EQ(better_counts(Class::c, 16, of_a_socket), IsCounts::buckets);
}

TEST(IsCountChoice, TakesBucketsWhereManyThreadsWouldAddUpTheirCounts) {
  const TeamCaches caches{.near = 64 * mib, .far = 4096 * mib};
  for (const Class size : {Class::a, Class::b, Class::c}) {
    EXPECT_EQ(better_counts(size, 64, caches), IsCounts::buckets);
  }
}

TEST(IsCountChoice, TakesBucketsWhereCachesAreUnknown) {
  EXPECT_EQ(better_counts(Class::a, 2, {}), IsCounts::buckets);
}

TEST(IsCountChoice, DoesAsRequested) {
  Problem problem{.size = Class::a, .threads = 64};
  problem.is_counts = IsCounts::values;
  EXPECT_EQ(counts_of(problem), IsCounts::values);
  problem = {.size = Class::s};
  problem.is_counts = IsCounts::buckets;
  EXPECT_EQ(counts_of(problem), IsCounts::buckets);
}

TEST(IsTeamBuckets, AreSeveralForEachThreadAndHaveSixteenBits) {
  EXPECT_EQ(team_buckets(Class::c, 64).count, 512U);
  EXPECT_EQ(team_buckets(Class::a, 3).count, 32U);
  EXPECT_EQ(team_buckets(Class::c, 1).count, 128U);  // of 65536 values
  EXPECT_EQ(team_buckets(Class::a, 1000).count, 1024U);
}

}  // namespace
}  // namespace bankfull::npb::is
