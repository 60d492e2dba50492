#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/workloads/npb/classes.hpp"
#include "bankfull/workloads/npb/is/bucket_partition.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::npb::is::cuda {

/// The header of a message, in words of 32 bits: the keys to be tested, 0 for those that other
/// ranks have; the units of each of all buckets; and their fillers.
struct MessageHeader {
  static constexpr int units = 8;
  static_assert(is_tests <= units);

  [[nodiscard]] static constexpr int fillers(int buckets) { return units + buckets; }

  /// Lists behind it begin on a line of their own.
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t buckets) {
    constexpr std::size_t line = 128;
    const std::size_t words = units + 2 * buckets;
    return (words * sizeof(std::uint32_t) + line - 1) / line * line;
  }
};

/// Where lists of keys stand in messages: behind the header, a list for each bucket of the
/// receiver, in units of `unit` keys of 16 bits. It follows from the counts that are expected, so
/// that both sides of a message know its places before any key is looked at. Each rank has a
/// message for every rank, itself too.
class ListMessages {
 public:
  /// `partition` has expected counts; rank r's keys are partitioned by `blocks[r]` blocks.
  ListMessages(BucketPartition partition, const std::vector<std::int64_t>& blocks, int unit);

  [[nodiscard]] const BucketPartition& partition() const { return partition_; }

  /// The capacity for rank `from`'s keys of a bucket, in units; a sender may have more
  /// (`capacity_for`).
  [[nodiscard]] std::int64_t units(std::size_t from, std::size_t bucket) const;

  /// Bytes from the beginning of the message from `from` to the bucket's owner to the bucket's
  /// list.
  [[nodiscard]] std::size_t list_begin(std::size_t from, std::size_t bucket) const {
    return list_begins_[from][bucket];
  }

  [[nodiscard]] std::size_t bytes(std::size_t from, std::size_t to) const {
    return bytes_[from][to];
  }

  /// A rank's messages to and from all ranks, in their order, both ways alike.
  [[nodiscard]] std::vector<MessageSize> sizes(std::size_t rank) const;

 private:
  BucketPartition partition_;
  std::vector<std::int64_t> blocks_;
  std::int64_t unit_;
  std::vector<std::vector<std::size_t>> list_begins_;  ///< of each rank and bucket
  std::vector<std::vector<std::size_t>> bytes_;
};

}  // namespace bankfull::npb::is::cuda
