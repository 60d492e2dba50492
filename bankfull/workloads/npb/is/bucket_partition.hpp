#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::npb::is {

/// Counts of keys in each bucket.
using Counts = std::vector<std::uint32_t>;

/// The assignment of buckets to ranks, from the counts of the keys that all ranks have in a
/// ranking: equal numbers of keys, to within a bucket.
class BucketPartition {
 public:
  BucketPartition() = default;

  /// `counts` has a list for each rank, with `buckets` counts each.
  BucketPartition(std::vector<Counts> counts, std::size_t buckets);

  /// The buckets [first, end) of a rank.
  [[nodiscard]] std::size_t first(std::size_t rank) const { return firsts_[rank]; }
  [[nodiscard]] std::size_t end(std::size_t rank) const { return firsts_[rank + 1]; }

  /// Keys in all buckets before this one.
  [[nodiscard]] std::int64_t before(std::size_t bucket) const { return before_[bucket]; }

  /// Keys that rank `from` has for rank `to`.
  [[nodiscard]] std::size_t keys(std::size_t from, std::size_t to) const;

  [[nodiscard]] std::uint32_t count(std::size_t from, std::size_t bucket) const {
    return counts_[from][bucket];
  }

  [[nodiscard]] std::size_t ranks() const { return counts_.size(); }
  [[nodiscard]] std::size_t buckets() const { return before_.size() - 1; }

 private:
  [[nodiscard]] std::size_t first_bucket_of(std::size_t rank) const;

  std::vector<Counts> counts_;        ///< of each rank
  std::vector<std::int64_t> before_;  ///< keys before each bucket, and all of them
  std::vector<std::size_t> firsts_;   ///< of each rank, and the number of buckets
};

/// How many of `keys` keys, drawn as NPB draws them, are expected in each of `buckets` equal ranges
/// of values; no key is looked at. The sum is `keys`. Sums of four uniform numbers have the
/// distribution of Irwin and Hall.
Counts expected_counts(std::int64_t keys, std::size_t buckets);

/// The capacity of a bucket, in keys, for an expected number of keys, including all keys that the
/// rankings of a run change: eight standard deviations more and a few, so that NPB's keys fit in
/// the classes S to D. Other keys may overflow it, which the ranking must detect.
std::int64_t capacity_for(std::int64_t expected);

}  // namespace bankfull::npb::is
