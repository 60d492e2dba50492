#include "bankfull/workloads/npb/is/bucket_partition.hpp"
#include "bankfull/workloads/npb/is/cuda/count_messages.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb::is {
namespace {

constexpr int buckets = 512;

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

using cuda::CountedBucket;
using cuda::CountMessages;
using cuda::MessageHeader;

constexpr int low_bits = 7;

TEST(IsMessages, GiveEachValueToOneRankAndAsManyToAll) {
  for (const int ranks : {1, 2, 3, 7, 64}) {
    const CountMessages messages(ranks, buckets, low_bits);
    std::int64_t end = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Range own = messages.values_of(rank);
      EXPECT_EQ(own.begin, end);
      EXPECT_EQ(own.begin, messages.buckets_of(rank).begin << low_bits);
      EXPECT_NEAR(static_cast<double>(own.size()),
                  static_cast<double>(buckets << low_bits) / static_cast<double>(ranks),
                  static_cast<double>(1 << low_bits));
      end = own.end;
    }
    EXPECT_EQ(end, buckets << low_bits);
  }
}

TEST(IsMessages, HaveRoomForAHeaderAndAByteOfEachValue) {
  constexpr int ranks = 3;
  const CountMessages messages(ranks, buckets, low_bits);
  EXPECT_GE(MessageHeader::bytes(buckets), (MessageHeader::keys + buckets) * sizeof(std::uint32_t));
  EXPECT_EQ(MessageHeader::bytes(buckets) % 128, 0U);
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(messages.bytes(rank), MessageHeader::bytes(buckets) +
                                        static_cast<std::size_t>(messages.values_of(rank).size()));
  }
}

TEST(IsMessages, AreAsLongBothWays) {
  constexpr int ranks = 5;
  const CountMessages messages(ranks, buckets, low_bits);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto sizes = messages.sizes(rank);
    ASSERT_EQ(sizes.size(), std::size_t{ranks});
    for (int other = 0; other < ranks; ++other) {
      const MessageSize& size = sizes[static_cast<std::size_t>(other)];
      EXPECT_EQ(size.rank, other);
      EXPECT_EQ(size.bytes, messages.sizes(other)[static_cast<std::size_t>(rank)].bytes);
      EXPECT_GE(size.bytes, messages.bytes(other));
    }
  }
}

TEST(IsMessages, HaveAPlaceForEachBucketWithItsOwner) {
  constexpr int ranks = 3;
  const CountMessages messages(ranks, buckets, low_bits);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<int> times(buckets, 0);
    for (const CountedBucket& counted : messages.order_of(rank)) {
      ++times[static_cast<std::size_t>(counted.bucket)];
      const Range theirs = messages.buckets_of(counted.owner);
      EXPECT_GE(counted.bucket, theirs.begin);
      EXPECT_LT(counted.bucket, theirs.end);
      EXPECT_EQ(static_cast<std::size_t>(counted.begin),
                MessageHeader::bytes(buckets) +
                    (static_cast<std::size_t>(counted.bucket - theirs.begin) << low_bits));
    }
    EXPECT_EQ(times, std::vector<int>(buckets, 1));
  }
}

TEST(IsMessages, AreFilledInTurnTheMiddleOfTheValuesFirst) {
  constexpr int ranks = 4;
  const CountMessages messages(ranks, buckets, low_bits);
  const auto order = messages.order_of(1);
  for (std::size_t n = 0; n < order.size(); ++n) {
    EXPECT_EQ(order[n].owner, static_cast<int>(n + 2) % ranks);
  }
  // Owners 2, 3, 0 and 1.
  EXPECT_EQ(order[0].bucket, 256);
  EXPECT_EQ(order[1].bucket, 384);
  EXPECT_EQ(order[2].bucket, 127);
  EXPECT_EQ(order[3].bucket, 255);
  EXPECT_EQ(order[4].bucket, 257);
}

}  // namespace
}  // namespace bankfull::npb::is
