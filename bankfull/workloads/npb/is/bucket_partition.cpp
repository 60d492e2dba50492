#include "bankfull/workloads/npb/is/bucket_partition.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bankfull::npb::is {

BucketPartition::BucketPartition(std::vector<Counts> counts, std::size_t buckets)
    : counts_(std::move(counts)), before_(buckets + 1, 0), firsts_(counts_.size() + 1, 0) {
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    std::int64_t keys = 0;
    for (const Counts& of_rank : counts_) {
      keys += of_rank[bucket];
    }
    before_[bucket + 1] = before_[bucket] + keys;
  }
  for (std::size_t rank = 1; rank < counts_.size(); ++rank) {
    firsts_[rank] = first_bucket_of(rank);
  }
  firsts_.back() = buckets;  // empty ones too: the next ranking may have a key there
}

std::size_t BucketPartition::keys(std::size_t from, std::size_t to) const {
  const auto begin = counts_[from].begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(first(to)),
                         begin + static_cast<std::ptrdiff_t>(end(to)), std::size_t{0});
}

/// Where the rank's fair share begins, to the nearest bucket.
std::size_t BucketPartition::first_bucket_of(std::size_t rank) const {
  const std::int64_t fair =
      before_.back() * static_cast<std::int64_t>(rank) / static_cast<std::int64_t>(counts_.size());
  const auto above = std::lower_bound(before_.begin(), before_.end(), fair);
  const bool nearer_below = above != before_.begin() && fair - *(above - 1) < *above - fair;
  return static_cast<std::size_t>(above - before_.begin()) - (nearer_below ? 1 : 0);
}

}  // namespace bankfull::npb::is
