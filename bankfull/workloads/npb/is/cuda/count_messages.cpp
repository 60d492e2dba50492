#include "bankfull/workloads/npb/is/cuda/count_messages.hpp"

#include <algorithm>
#include <cstdlib>

namespace bankfull::npb::is::cuda {

Range CountMessages::buckets_of(int rank) const { return share(buckets_, rank, ranks_); }

Range CountMessages::values_of(int rank) const {
  const Range own = buckets_of(rank);
  return {own.begin << low_bits_, own.end << low_bits_};
}

std::size_t CountMessages::bytes(int to) const {
  return MessageHeader::bytes(buckets_) + static_cast<std::size_t>(values_of(to).size());
}

std::vector<MessageSize> CountMessages::sizes(int rank) const {
  std::vector<MessageSize> sizes;
  sizes.reserve(static_cast<std::size_t>(ranks_));
  for (int other = 0; other < ranks_; ++other) {
    sizes.push_back({other, std::max(bytes(rank), bytes(other))});
  }
  return sizes;
}

std::vector<CountedBucket> CountMessages::order_of(int rank) const {
  const auto twice_from_middle = [&](const CountedBucket& counted) {
    return std::abs(2 * counted.bucket + 1 - buckets_);
  };
  std::vector<std::vector<CountedBucket>> of_owners;
  for (int distance = 1; distance <= ranks_; ++distance) {
    const int owner = (rank + distance) % ranks_;
    const Range own = buckets_of(owner);
    std::vector<CountedBucket>& counted = of_owners.emplace_back();
    for (std::int64_t bucket = own.begin; bucket < own.end; ++bucket) {
      counted.push_back({.bucket = static_cast<int>(bucket),
                         .owner = owner,
                         .begin = static_cast<std::int64_t>(MessageHeader::bytes(buckets_)) +
                                  ((bucket - own.begin) << low_bits_)});
    }
    std::stable_sort(counted.begin(), counted.end(),
                     [&](const CountedBucket& a, const CountedBucket& b) {
                       return twice_from_middle(a) < twice_from_middle(b);
                     });
  }
  std::vector<CountedBucket> order;
  for (std::size_t n = 0; order.size() < static_cast<std::size_t>(buckets_); ++n) {
    for (const std::vector<CountedBucket>& counted : of_owners) {
      if (n < counted.size()) {
        order.push_back(counted[n]);
      }
    }
  }
  return order;
}

}  // namespace bankfull::npb::is::cuda
