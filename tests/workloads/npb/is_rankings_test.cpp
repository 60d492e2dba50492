#include "bankfull/workloads/npb/is/bucket_partition.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/is_keys.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <cmath>

namespace bankfull::npb::is {
namespace {

class IsRankings : public testing::TestWithParam<KeySet> {
 protected:
  static void expect_ranked_on(int threads) {
    for (const IsCounts counts : {IsCounts::values, IsCounts::buckets}) {
      SCOPED_TRACE(to_string(counts));
      expect_ranked(*make_on_team(Class::s, counts, threads), Class::s,
                    keys_of(GetParam(), Class::s));
    }
  }
};

TEST_P(IsRankings, AreRightForAnyKeysOnOneThread) { expect_ranked_on(1); }

TEST_P(IsRankings, AreRightForAnyKeysOnThreeThreads) { expect_ranked_on(3); }

TEST_P(IsRankings, AreRightForAnyKeysOnSixteenThreads) { expect_ranked_on(16); }

INSTANTIATE_TEST_SUITE_P(Keys, IsRankings, testing::ValuesIn(key_sets), name_of_set);

/// Into how many buckets a class's keys go.
struct BucketCount {
  Class size;
  std::size_t count;
};

std::string name_of_buckets(const testing::TestParamInfo<BucketCount>& info) {
  return to_string(info.param.size) + std::to_string(info.param.count);
}

class IsExpectedCounts : public testing::TestWithParam<BucketCount> {
 protected:
  /// Keys of NPB in each bucket, of positions in a range.
  [[nodiscard]] static Counts found(const Range& positions) {
    std::vector<Key> keys(static_cast<std::size_t>(positions.size()));
    generate(GetParam().size, positions.begin, keys);
    Counts counts(GetParam().count, 0);
    const std::size_t range = std::size_t{1} << is_parameters(GetParam().size).log2_values;
    for (const Key key : keys) {
      ++counts[key / (range / counts.size())];
    }
    return counts;
  }

  /// All rankings of a run may change keys to values of one bucket.
  static constexpr std::int64_t changes = std::int64_t{2} * is_iterations;
};

TEST_P(IsExpectedCounts, HaveRoomForNpbsKeysOfEveryRank) {
  const std::int64_t keys = std::int64_t{1} << is_parameters(GetParam().size).log2_keys;
  for (const int ranks : {1, 3}) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Range own = share(keys, rank, ranks);
      const Counts expected = expected_counts(own.size(), GetParam().count);
      const Counts counts = found(own);
      for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
        EXPECT_LE(counts[bucket] + changes, capacity_for(expected[bucket])) << bucket;
      }
    }
  }
}

TEST_P(IsExpectedCounts, AddUpToAllKeys) {
  for (const std::int64_t keys : {std::int64_t{0}, std::int64_t{1}, std::int64_t{21'845},
                                  (std::int64_t{1} << 31) / 3, std::int64_t{1} << 31}) {
    const Counts expected = expected_counts(keys, GetParam().count);
    EXPECT_EQ(std::accumulate(expected.begin(), expected.end(), std::int64_t{0}), keys);
  }
}

TEST_P(IsExpectedCounts, AreTheSameFromBothEnds) {
  const Counts expected = expected_counts(std::int64_t{1} << 27, GetParam().count);
  for (std::size_t bucket = 0; bucket < expected.size(); ++bucket) {
    EXPECT_NEAR(expected[bucket], expected[expected.size() - 1 - bucket], 1.0) << bucket;
  }
}

INSTANTIATE_TEST_SUITE_P(Npb, IsExpectedCounts,
                         testing::Values(BucketCount{Class::s, 512}, BucketCount{Class::s, 2048},
                                         BucketCount{Class::w, 16}, BucketCount{Class::w, 512},
                                         BucketCount{Class::w, 2048}),
                         name_of_buckets);

TEST(IsRoom, IsLittleMoreThanWhatIsExpected) {
  EXPECT_GE(capacity_for(0), 2 * is_iterations);
  EXPECT_LE(capacity_for(0), 64);
  EXPECT_EQ(capacity_for(1 << 20) - (1 << 20), 8 * 1024 + 16 + 2 * is_iterations);
}

std::string name_of_epsilon(const testing::TestParamInfo<double>& info) {
  return "Case" + std::to_string(info.index);
}

class IsPerturbation : public testing::TestWithParam<double> {};

TEST_P(IsPerturbation, ChangesEveryRankButTheFirst) {
  EXPECT_EQ(perturbed_rank(0, GetParam()), 0);
  for (const std::int64_t rank : {1, 18, 65'463, 133'997'595}) {
    EXPECT_NE(perturbed_rank(rank, GetParam()), rank);
    EXPECT_NEAR(static_cast<double>(perturbed_rank(rank, GetParam())),
                static_cast<double>(rank) * (1.0 + GetParam()), 1.0);
  }
}

TEST_P(IsPerturbation, FailsVerification) {
  Problem problem;
  problem.size = Class::s;
  problem.threads = 2;
  problem.perturbation = GetParam();
  expect_all_wrong(*make_benchmark(Kernel::is, problem, alone()));
}

TEST_P(IsPerturbation, LeavesTheReferenceAsItIs) {
  Problem problem;
  problem.size = Class::s;
  problem.schedule = Schedule::reference;
  problem.perturbation = GetParam();
  expect_verified(*make_benchmark(Kernel::is, problem, alone()));
}

INSTANTIATE_TEST_SUITE_P(Npb, IsPerturbation, testing::Values(1e-6, -1e-6, 1e-300),
                         name_of_epsilon);

TEST(IsNoPerturbation, ChangesNothing) {
  EXPECT_EQ(perturbed_rank(0, 0.0), 0);
  EXPECT_EQ(perturbed_rank(133'997'595, 0.0), 133'997'595);
}

}  // namespace
}  // namespace bankfull::npb::is
