#include "bankfull/core/exec/prefix_sum.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/workloads/npb/is/cuda/keys.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/is_keys.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace bankfull::npb::is {
namespace {

/// Class S on the GPU, and what the host makes of it.
class CudaKeys : public testing::Test {
 protected:
  CudaKeys() : keys_(MemorySpace::device, count), host_keys_(count) {
    cuda::queue_keys(Class::s, {0, count}, keys_.data(), stream_);
    generate(Class::s, 0, host_keys_);
  }

  [[nodiscard]] std::vector<std::uint32_t> host_ranks() const {
    std::vector<std::uint32_t> ranks(values, 0);
    for (const Key key : host_keys_) {
      ++ranks[key];
    }
    std::exclusive_scan(ranks.begin(), ranks.end(), ranks.begin(), 0U);
    return ranks;
  }

  [[nodiscard]] std::vector<std::uint32_t> to_host(const Buffer<std::uint32_t>& there) const {
    std::vector<std::uint32_t> here(there.size());
    copy_bytes(here.data(), there.data(), there.bytes(), stream_);
    stream_.synchronize();
    return here;
  }

  [[nodiscard]] bool ascend_by(const std::vector<std::uint32_t>& ranks) const {
    return part_ascends(ranks, {0, values}, {0, count});
  }

  /// The same of some values, whose keys have these places.
  [[nodiscard]] bool part_ascends(const std::vector<std::uint32_t>& ranks, const Range& part,
                                  const Range& places) const {
    const Buffer<std::uint32_t> there(MemorySpace::device, values);
    const Buffer<std::uint32_t> counts(MemorySpace::device, values);
    copy_bytes(there.data(), ranks.data(), there.bytes(), stream_);
    cuda::queue_value_counts(keys_.data(), count, values, counts.data(), stream_);
    return cuda::ascend_by_rank(there.data() + part.begin, counts.data() + part.begin, part.size(),
                                places, stream_);
  }

  static constexpr std::int64_t count = 1 << 16;
  static constexpr std::int64_t values = 1 << 11;

  Stream stream_{Device::cuda(0)};
  Buffer<Key> keys_;
  std::vector<Key> host_keys_;
};

TEST_F(CudaKeys, AreThoseOfTheHost) {
  std::vector<Key> keys(host_keys_.size());
  copy_bytes(keys.data(), keys_.data(), keys_.bytes(), stream_);
  stream_.synchronize();
  EXPECT_EQ(keys, host_keys_);
}

TEST_F(CudaKeys, OfAPartAreThoseOfTheHost) {
  const Range part{3 << 13, 5 << 13};
  cuda::queue_keys(Class::s, part, keys_.data(), stream_);
  std::vector<Key> keys(static_cast<std::size_t>(part.size()));
  copy_bytes(keys.data(), keys_.data(), keys.size() * sizeof(Key), stream_);
  stream_.synchronize();
  EXPECT_TRUE(std::equal(keys.begin(), keys.end(), host_keys_.begin() + part.begin));
}

TEST_F(CudaKeys, AreChangedWhereTheyAreHere) {
  const std::array<Change, 2> changes{{{.position = 3, .key = 7}, {.position = -1, .key = 9}}};
  cuda::queue_changes(keys_.data(), changes, stream_);
  std::vector<Key> keys(host_keys_.size());
  copy_bytes(keys.data(), keys_.data(), keys_.bytes(), stream_);
  stream_.synchronize();
  host_keys_[3] = 7;
  EXPECT_EQ(keys, host_keys_);
}

TEST_F(CudaKeys, AreRankedByTheirCounts) {
  const Buffer<std::uint32_t> ranks(MemorySpace::device, values);
  cuda::queue_value_counts(keys_.data(), count, values, ranks.data(), stream_);
  constexpr std::uint32_t first = 1000;
  exclusive_sums(ranks.data(), values, first, stream_);
  std::vector<std::uint32_t> expected = host_ranks();
  for (std::uint32_t& rank : expected) {
    rank += first;
  }
  EXPECT_EQ(to_host(ranks), expected);
}

TEST_F(CudaKeys, HavePerturbedRanks) {
  const Buffer<std::uint32_t> ranks(MemorySpace::device, values);
  std::vector<std::uint32_t> expected = host_ranks();
  copy_bytes(ranks.data(), expected.data(), ranks.bytes(), stream_);
  cuda::queue_perturbation(ranks.data(), values, 1e-6, stream_);
  for (std::uint32_t& rank : expected) {
    rank = static_cast<std::uint32_t>(perturbed_rank(rank, 1e-6));
  }
  EXPECT_EQ(to_host(ranks), expected);
}

TEST_F(CudaKeys, AreTestedWhereTheirValuesAreHere) {
  const std::vector<std::uint32_t> ranks = host_ranks();
  const Buffer<std::uint32_t> there(MemorySpace::device, values);
  copy_bytes(there.data(), ranks.data(), there.bytes(), stream_);
  cuda::RankTests tests{.keys = keys_.data(), .positions = {0, 1, 2, 3, 4}, .expected = {}};
  for (std::size_t n = 0; n < tests.expected.size(); ++n) {
    tests.expected[n] = ranks[host_keys_[n]];
  }
  --tests.expected[1];
  const Buffer<std::uint32_t> right(MemorySpace::device, 1);
  fill_bytes(right.data(), 0, right.bytes(), stream_);
  cuda::queue_tests(tests, there.data(), {0, values}, right.data(), stream_);
  EXPECT_EQ(to_host(right).front(), 4U);
  // Again, of the values from that of the first key on.
  const std::int64_t least = host_keys_[0];
  std::uint32_t expected = 4;
  for (const std::size_t n : {0U, 2U, 3U, 4U}) {
    expected += host_keys_[n] >= least ? 1U : 0U;
  }
  cuda::queue_tests(tests, there.data() + least, {least, values}, right.data(), stream_);
  EXPECT_EQ(to_host(right).front(), expected);
}

TEST_F(CudaKeys, AscendByRightRanksOnly) {
  std::vector<std::uint32_t> ranks = host_ranks();
  EXPECT_TRUE(ascend_by(ranks));
  ++ranks[values / 2];
  EXPECT_FALSE(ascend_by(ranks));
  // All places moved on by one: gaps nowhere but at the beginning.
  ranks = host_ranks();
  for (std::uint32_t& rank : ranks) {
    ++rank;
  }
  EXPECT_FALSE(ascend_by(ranks));
}

TEST_F(CudaKeys, OfSomeValuesAscendBetweenThoseOfOthers) {
  const std::vector<std::uint32_t> ranks = host_ranks();
  const Range part{values / 4, values / 2};
  const Range places{ranks[values / 4], ranks[values / 2]};
  EXPECT_TRUE(part_ascends(ranks, part, places));
  EXPECT_FALSE(part_ascends(ranks, part, {places.begin - 1, places.end}));
  EXPECT_FALSE(part_ascends(ranks, part, {places.begin, places.end + 1}));
}

Problem problem_of(Class size) {
  Problem problem;
  problem.size = size;
  problem.device = Device::cuda(0);
  return problem;
}

class CudaRankings : public testing::TestWithParam<KeySet> {
 protected:
  static void expect_ranked_within_a_run(Class size) {
    expect_ranked_in_buckets(*make_cuda(problem_of(size), alone()), size, GetParam());
  }
};

TEST_P(CudaRankings, AreRightForAnyKeysOfClassS) { expect_ranked_within_a_run(Class::s); }
TEST_P(CudaRankings, AreRightForAnyKeysOfClassW) { expect_ranked_within_a_run(Class::w); }
TEST_P(CudaRankings, AreRightForAnyKeysOfClassA) { expect_ranked_within_a_run(Class::a); }

INSTANTIATE_TEST_SUITE_P(Keys, CudaRankings, testing::ValuesIn(key_sets), name_of_set);

TEST(CudaRankingOfSortedKeys, IsRight) {
  for (const Class size : {Class::s, Class::w, Class::a}) {
    expect_sorted_keys_ranked_in_buckets(*make_cuda(problem_of(size), alone()), size);
  }
}

class CudaRankingOfNpbsKeys : public testing::TestWithParam<Class> {};

TEST_P(CudaRankingOfNpbsKeys, NeverRanksByValue) {
  const Problem problem = problem_of(GetParam());
  const std::int64_t needed = work_bytes(problem, 1).device;
  if (free_bytes(problem.device) < needed) {
    GTEST_SKIP() << "needs " << needed << " bytes";
  }
  expect_capacity_for_own_keys(*make_cuda(problem, alone()));
}

// All classes that GPUs take.
INSTANTIATE_TEST_SUITE_P(Npb, CudaRankingOfNpbsKeys,
                         testing::Values(Class::s, Class::w, Class::a, Class::b, Class::c,
                                         Class::d),
                         [](const auto& tested) { return to_string(tested.param); });

TEST(CudaCounters, OfAValueThatAllKeysOfABucketHaveOverflow) {
  // The fullest of 512 buckets in class B, whose list holds its 175 thousand keys.
  constexpr int bucket_bits = 12;
  std::vector<Key> keys = keys_of(key_sets.front(), Class::b);
  const Key bucket = Key{1} << (is_parameters(Class::b).log2_values - 1 - bucket_bits);
  for (const Key low_bits : {0U, 1U, 4095U}) {
    for (Key& key : keys) {
      key = key >> bucket_bits == bucket ? (bucket << bucket_bits) + low_bits : key;
    }
    const auto ranking = make_cuda(problem_of(Class::b), alone());
    expect_ranked(*ranking, Class::b, keys);
    EXPECT_TRUE(ranking->overflowed());
  }
}

TEST(CudaRanking, PerturbedFailsVerification) {
  for (const double epsilon : {1e-6, -1e-6}) {
    Problem problem = problem_of(Class::s);
    problem.perturbation = epsilon;
    expect_all_wrong(*make_cuda(problem, alone()));
  }
}

TEST(CudaRanking, PerturbedFailsVerificationByValueToo) {
  Problem problem = problem_of(Class::s);
  problem.perturbation = 1e-6;
  const auto ranking = make_cuda(problem, alone());
  ranking->replace_keys(keys_of(key_sets[1], Class::s));
  expect_all_wrong(*ranking);
  EXPECT_TRUE(ranking->overflowed());
  expect_stated(*ranking, true);
}

}  // namespace
}  // namespace bankfull::npb::is
