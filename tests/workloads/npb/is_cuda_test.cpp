#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/cuda/keys.hpp"

#include <algorithm>
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

  [[nodiscard]] std::vector<std::uint32_t> right_ranks() const {
    std::vector<std::uint32_t> ranks(values, 0);
    for (const Key key : host_keys_) {
      ++ranks[key];
    }
    std::exclusive_scan(ranks.begin(), ranks.end(), ranks.begin(), 0U);
    return ranks;
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

TEST_F(CudaKeys, AreCountedByTheirHighBits) {
  constexpr int low_bits = 7;
  std::vector<std::uint32_t> expected(values >> low_bits, 0);
  for (const Key key : host_keys_) {
    ++expected[key >> low_bits];
  }
  EXPECT_EQ(cuda::count_high_bits(keys_.data(), count, low_bits, values >> low_bits, stream_),
            expected);
}

TEST_F(CudaKeys, AscendByRightRanksOnly) {
  std::vector<std::uint32_t> ranks = right_ranks();
  EXPECT_TRUE(ascend_by(ranks));
  ++ranks[values / 2];
  EXPECT_FALSE(ascend_by(ranks));
  // All places moved on by one: gaps nowhere but at the beginning.
  ranks = right_ranks();
  for (std::uint32_t& rank : ranks) {
    ++rank;
  }
  EXPECT_FALSE(ascend_by(ranks));
}

TEST_F(CudaKeys, OfSomeValuesAscendBetweenThoseOfOthers) {
  const std::vector<std::uint32_t> ranks = right_ranks();
  const Range part{values / 4, values / 2};
  const Range places{ranks[values / 4], ranks[values / 2]};
  EXPECT_TRUE(part_ascends(ranks, part, places));
  EXPECT_FALSE(part_ascends(ranks, part, {places.begin - 1, places.end}));
  EXPECT_FALSE(part_ascends(ranks, part, {places.begin, places.end + 1}));
}

}  // namespace
}  // namespace bankfull::npb::is
