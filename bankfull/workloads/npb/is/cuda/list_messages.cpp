#include "bankfull/workloads/npb/is/cuda/list_messages.hpp"

#include "bankfull/workloads/npb/is/bucket_partition.hpp"

#include <algorithm>
#include <utility>

namespace bankfull::npb::is::cuda {

ListMessages::ListMessages(BucketPartition partition, const std::vector<std::int64_t>& blocks,
                           int unit)
    : partition_(std::move(partition)), blocks_(blocks), unit_(unit) {
  const std::size_t unit_bytes = static_cast<std::size_t>(unit_) * sizeof(std::uint16_t);
  for (std::size_t from = 0; from < partition_.ranks(); ++from) {
    std::vector<std::size_t>& begins = list_begins_.emplace_back();
    std::vector<std::size_t>& bytes = bytes_.emplace_back();
    for (std::size_t to = 0; to < partition_.ranks(); ++to) {
      std::size_t end = MessageHeader::bytes(partition_.buckets());
      for (std::size_t bucket = partition_.first(to); bucket < partition_.end(to); ++bucket) {
        begins.push_back(end);
        end += static_cast<std::size_t>(units(from, bucket)) * unit_bytes;
      }
      bytes.push_back(end);
    }
  }
}

/// Whole units, and one for each block that it does not fill.
std::int64_t ListMessages::units(std::size_t from, std::size_t bucket) const {
  const std::int64_t keys = capacity_for(partition_.count(from, bucket));
  return keys / unit_ + std::min(keys, blocks_[from]);
}

std::vector<MessageSize> ListMessages::sizes(std::size_t rank) const {
  std::vector<MessageSize> sizes;
  for (std::size_t other = 0; other < partition_.ranks(); ++other) {
    sizes.push_back({static_cast<int>(other), std::max(bytes(rank, other), bytes(other, rank))});
  }
  return sizes;
}

}  // namespace bankfull::npb::is::cuda
