#include "bankfull/workloads/npb/is/cuda/ranking_on_ranks.cuh"
#include "bankfull/workloads/npb/is/cuda/shapes.cuh"
#include "tests/alone.hpp"
#include "tests/workloads/npb/is_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::npb::is {
namespace {

// Shapes that serve class D, and those of several ranks, with the keys of classes that are quickly
// done on one GPU.

constexpr Class size = Class::a;

Problem problem_of(Class tested) {
  Problem small;
  small.size = tested;
  small.device = Device::cuda(0);
  return small;
}

using WideRanking = cuda::CudaRanking<cuda::Wide, cuda::RankWide>;
using WideRankingOnRanks = cuda::CudaRankingOnRanks<cuda::Wide, cuda::CountOnRanks, cuda::SumWide>;
using NarrowRankingOnRanks =
    cuda::CudaRankingOnRanks<cuda::Narrow, cuda::CountOnRanks, cuda::SumNarrow>;

class CudaRankingShapes : public testing::TestWithParam<KeySet> {};

TEST_P(CudaRankingShapes, WideRanksAnyKeys) {
  WideRanking ranking(problem_of(size));
  expect_ranked_in_buckets(ranking, size, GetParam());
}

/// With fewer batches than the GPU has multiprocessors, of one key to two units a bucket.
TEST_P(CudaRankingShapes, WideRanksAnyFewKeys) {
  WideRanking ranking(problem_of(Class::w));
  expect_ranked_in_buckets(ranking, Class::w, GetParam());
}

TEST_P(CudaRankingShapes, WideOnRanksRanksAnyKeys) {
  WideRankingOnRanks ranking(problem_of(size), alone());
  expect_ranked_in_buckets(ranking, size, GetParam());
}

/// Buckets of few values, of which blocks add several up.
TEST_P(CudaRankingShapes, WideOnRanksRanksAnyFewKeys) {
  WideRankingOnRanks ranking(problem_of(Class::w), alone());
  expect_ranked_in_buckets(ranking, Class::w, GetParam());
}

TEST_P(CudaRankingShapes, NarrowOnRanksRanksAnyKeys) {
  NarrowRankingOnRanks ranking(problem_of(size), alone());
  expect_ranked_in_buckets(ranking, size, GetParam());
}

TEST_P(CudaRankingShapes, NarrowOnRanksRanksAnyFewKeys) {
  NarrowRankingOnRanks ranking(problem_of(Class::s), alone());
  expect_ranked_in_buckets(ranking, Class::s, GetParam());
}

TEST(CudaRankingOfSortedKeys, WideRanksSortedKeys) {
  WideRanking ranking(problem_of(size));
  expect_sorted_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaRankingOfSortedKeys, WideOnRanksRanksSortedKeys) {
  WideRankingOnRanks ranking(problem_of(size), alone());
  expect_sorted_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaRankingOfClusteredKeys, WideRanksMoreUnitsThanWarpsQueue) {
  WideRanking ranking(problem_of(size));
  expect_clustered_keys_ranked_in_buckets(ranking, size);
}

TEST(CudaRankingOfClusteredKeys, WideOnRanksRanksThem) {
  WideRankingOnRanks ranking(problem_of(size), alone());
  expect_clustered_keys_ranked_in_buckets(ranking, size);
}

/// In the fullest of 512 buckets of class B, whose list holds its 175 thousand keys.
TEST(CudaCountersOnRanks, OfAValueThatAllKeysOfABucketHaveOverflow) {
  constexpr int bucket_bits = 12;
  std::vector<Key> keys = keys_of(key_sets.front(), Class::b);
  const Key bucket = Key{1} << (is_parameters(Class::b).log2_values - 1 - bucket_bits);
  NarrowRankingOnRanks ranking(problem_of(Class::b), alone());
  for (const Key low_bits : {0U, 1U, 2U, 3U, 4094U, 4095U}) {
    for (Key& key : keys) {
      key = key >> bucket_bits == bucket ? (bucket << bucket_bits) + low_bits : key;
    }
    expect_ranked(ranking, Class::b, keys);
    EXPECT_TRUE(ranking.overflowed());
  }
}

/// So many keys of a value that its counter is 0 again, or only just not.
TEST(CudaCountersOnRanks, OfAValueMayCountTo255) {
  const std::vector<Key> npbs = keys_of(key_sets.front(), size);
  NarrowRankingOnRanks ranking(problem_of(size), alone());
  // The least of a word, one in its middle, and the largest of a bucket, which has fillers.
  for (const Key value : {Key{1} << 18U, (Key{1} << 18U) + 1U, (Key{1} << 18U) + 1023U}) {
    for (const std::int64_t times : {255, 256}) {
      std::vector<Key> keys = npbs;
      std::int64_t left = times - std::count(keys.begin(), keys.end(), value);
      ASSERT_GT(left, 0);
      // Others of the same bucket, behind those that rankings change.
      for (std::size_t n = 1024; left > 0; ++n) {
        if (keys[n] != value && keys[n] >> 10U == value >> 10U) {
          keys[n] = value;
          --left;
        }
      }
      expect_ranked(ranking, size, keys);
      EXPECT_EQ(ranking.overflowed(), times > 255) << value << ", " << times << " times";
    }
  }
}

TEST(CudaWideRanking, OfNpbsKeysPassesAllTests) {
  for (const Class tested : {Class::w, Class::a, Class::b}) {
    WideRanking ranking(problem_of(tested));
    expect_capacity_for_own_keys(ranking);
  }
}

TEST(CudaWideRanking, PerturbedFailsVerification) {
  for (const double epsilon : {1e-6, -1e-6}) {
    Problem problem = problem_of(Class::w);
    problem.perturbation = epsilon;
    WideRanking ranking(problem);
    expect_all_wrong(ranking);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, CudaRankingShapes, testing::ValuesIn(key_sets), name_of_set);

}  // namespace
}  // namespace bankfull::npb::is
