#include "bankfull/workloads/npb/is/bucket_partition.hpp"
#include "bankfull/workloads/npb/is/cuda/list_messages.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb::is {
namespace {

constexpr std::size_t buckets = 512;

/// Possible counts of two unequal ranks, with empty buckets at both ends.
std::vector<Counts> some_counts(std::size_t ranks) {
  std::vector<Counts> counts(ranks, Counts(buckets, 0));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t bucket = 10; bucket + 10 < buckets; ++bucket) {
      counts[rank][bucket] = static_cast<std::uint32_t>((rank + 1) * (bucket * (buckets - bucket)));
    }
  }
  return counts;
}

TEST(IsDeal, GivesEachBucketToOneRankAndAsManyKeysToAll) {
  for (const std::size_t ranks : {1U, 2U, 3U, 7U, 64U}) {
    const BucketPartition partition(some_counts(ranks), buckets);
    EXPECT_EQ(partition.first(0), 0U);
    EXPECT_EQ(partition.end(ranks - 1), buckets);
    const auto fair = static_cast<double>(partition.before(buckets)) / static_cast<double>(ranks);
    const double fullest = 1.5 * static_cast<double>(partition.before(buckets)) / double{buckets};
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_LT(partition.first(rank), partition.end(rank));
      EXPECT_EQ(partition.first(rank), rank == 0 ? 0 : partition.end(rank - 1));
      const std::int64_t keys =
          partition.before(partition.end(rank)) - partition.before(partition.first(rank));
      EXPECT_NEAR(static_cast<double>(keys), fair, fullest);
    }
  }
}

using cuda::ListMessages;
using cuda::MessageHeader;

constexpr int unit = 64;
constexpr std::size_t unit_bytes = 2 * unit;

TEST(IsMessages, HaveRoomForAllKeysHoweverBlocksShareThem) {
  constexpr std::size_t ranks = 3;
  const std::vector<Counts> counts = some_counts(ranks);
  const std::vector<std::int64_t> blocks{132, 1, 66};
  const ListMessages messages(BucketPartition(counts, buckets), blocks, unit);
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      // At worst all blocks but one have a single key.
      const std::int64_t keys = capacity_for(counts[from][bucket]);
      const std::int64_t single = std::min(keys, blocks[from] - 1);
      const std::int64_t needed = single + (keys - single + unit - 1) / unit;
      EXPECT_GE(messages.units(from, bucket), needed);
    }
  }
}

TEST(IsMessages, PlaceListsOneBehindTheOther) {
  constexpr std::size_t ranks = 3;
  const ListMessages messages(BucketPartition(some_counts(ranks), buckets), {132, 1, 66}, unit);
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      std::size_t end = MessageHeader::bytes(buckets);
      EXPECT_GE(end, (MessageHeader::fillers(buckets) + buckets) * sizeof(std::uint32_t));
      for (std::size_t bucket = messages.partition().first(to);
           bucket < messages.partition().end(to); ++bucket) {
        EXPECT_EQ(messages.list_begin(from, bucket), end);
        EXPECT_EQ(end % unit_bytes, 0U);
        end += static_cast<std::size_t>(messages.units(from, bucket)) * unit_bytes;
      }
      EXPECT_EQ(messages.bytes(from, to), end);
    }
  }
}

TEST(IsMessages, AreAsLongBothWays) {
  constexpr std::size_t ranks = 4;
  const ListMessages messages(BucketPartition(some_counts(ranks), buckets), {132, 1, 66, 132},
                              unit);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto sizes = messages.sizes(rank);
    ASSERT_EQ(sizes.size(), ranks);
    for (std::size_t other = 0; other < ranks; ++other) {
      EXPECT_EQ(sizes[other].rank, static_cast<int>(other));
      EXPECT_EQ(sizes[other].bytes, messages.sizes(other)[rank].bytes);
      EXPECT_GE(sizes[other].bytes, messages.bytes(rank, other));
    }
  }
}

/// Unequal shares of a class's keys, and what is expected of them.
std::vector<Counts> expected_of(const std::vector<std::int64_t>& shares) {
  std::vector<Counts> counts;
  for (const std::int64_t keys : shares) {
    counts.push_back(expected_counts(keys, buckets));
  }
  return counts;
}

TEST(IsMessages, HaveRoomForNpbsKeys) {
  const std::vector<std::int64_t> shares{3 << 18, 1 << 18};
  const ListMessages messages(BucketPartition(expected_of(shares), buckets), {132, 1}, unit);
  std::int64_t position = 0;
  for (std::size_t from = 0; from < shares.size(); ++from) {
    std::vector<Key> keys(static_cast<std::size_t>(shares[from]));
    generate(Class::w, position, keys);
    position += shares[from];
    Counts counts(buckets, 0);
    for (const Key key : keys) {
      ++counts[key >> (is_parameters(Class::w).log2_values - 9)];
    }
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      EXPECT_GE(messages.units(from, bucket) * unit, counts[bucket]) << from << ' ' << bucket;
    }
  }
}

TEST(IsMessages, DealExpectedKeysEvenly) {
  const BucketPartition partition(expected_of({1 << 20, 1 << 20, 1 << 20, 1 << 20, 0}), buckets);
  constexpr double fullest_bucket = 8.0 / 3.0 * (1 << 22) / double{buckets};
  for (std::size_t rank = 0; rank < partition.ranks(); ++rank) {
    const std::int64_t keys =
        partition.before(partition.end(rank)) - partition.before(partition.first(rank));
    EXPECT_NEAR(static_cast<double>(keys), (1 << 22) / 5.0, fullest_bucket);
  }
}

}  // namespace
}  // namespace bankfull::npb::is
