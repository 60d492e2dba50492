#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/cuda/keys.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace bankfull::npb::is {
namespace {

/// Class S on the GPU, and what the host makes of it.
class CudaKeys : public testing::Test {
 protected:
  CudaKeys() : keys_(MemorySpace::device, count), host_keys_(count) {
    cuda::queue_keys(Class::s, keys_.data(), stream_);
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
    const Buffer<std::uint32_t> there(MemorySpace::device, values);
    const Buffer<std::uint32_t> counts(MemorySpace::device, values);
    copy_bytes(there.data(), ranks.data(), there.bytes(), stream_);
    return cuda::ascend_by_rank(keys_.data(), count, there.data(), values, counts.data(), stream_);
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

}  // namespace
}  // namespace bankfull::npb::is
