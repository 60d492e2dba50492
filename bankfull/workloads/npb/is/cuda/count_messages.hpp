#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::npb::is::cuda {

/// The header of a message, in words of 32 bits: the keys to be tested, 0 for those that other
/// ranks have; and how many keys the sender has in each of all buckets.
struct MessageHeader {
  static constexpr int keys = 8;
  static_assert(is_tests <= keys);

  /// Counts behind it begin on a line of their own.
  [[nodiscard]] static constexpr std::size_t bytes(std::int64_t buckets) {
    constexpr std::size_t line = 128;
    const std::size_t words = keys + static_cast<std::size_t>(buckets);
    return (words * sizeof(std::uint32_t) + line - 1) / line * line;
  }
};

/// A bucket that a rank counts for the owner of its values.
struct CountedBucket {
  int bucket;
  int owner;
  std::int64_t begin;  ///< bytes from the beginning of the message to the bucket's counts
};

/// Where counts stand in messages: behind the header, a byte for each value of the receiver. Values
/// belong to ranks in whole buckets, equal numbers of them. Each rank has a message for every rank,
/// itself too.
class CountMessages {
 public:
  CountMessages(int ranks, int buckets, int low_bits)
      : ranks_(ranks), buckets_(buckets), low_bits_(low_bits) {}

  /// The buckets of a rank, and their values.
  [[nodiscard]] Range buckets_of(int rank) const;
  [[nodiscard]] Range values_of(int rank) const;

  /// Of the message from any rank to this one.
  [[nodiscard]] std::size_t bytes(int to) const;

  /// A rank's messages to and from all ranks, in their order, both ways alike.
  [[nodiscard]] std::vector<MessageSize> sizes(int rank) const;

  /// All buckets in the order in which a rank counts them: for each owner in turn, so that all
  /// links are busy, beginning with another one on each rank; and of each owner the bucket that is
  /// nearest to the middle of all first, since it has the most of NPB's keys.
  [[nodiscard]] std::vector<CountedBucket> order_of(int rank) const;

 private:
  int ranks_;
  int buckets_;
  int low_bits_;
};

}  // namespace bankfull::npb::is::cuda
