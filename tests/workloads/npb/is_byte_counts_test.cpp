#include "bankfull/workloads/npb/is/byte_counts.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::npb::is {
namespace {

constexpr std::int64_t values = 100;

ByteCounts clear_counts() {
  ByteCounts counts(values);
  counts.clear();
  return counts;
}

/// Value n occurs n^2 times: bytes overflow from none to 38 times.
std::vector<Key> squares() {
  std::vector<Key> keys;
  for (Key round = 0; round < values * values; ++round) {
    for (Key value = 0; value < values; ++value) {
      if (round < value * value) {
        keys.push_back(value);
      }
    }
  }
  return keys;
}

std::vector<std::uint32_t> take_all(ByteCounts& counts) {
  std::vector<std::uint32_t> sums(values, 0);
  const Range lower = share(values, 0, 2);
  const Range upper = share(values, 1, 2);
  counts.take(upper, sums.data() + upper.begin);
  counts.take(lower, sums.data() + lower.begin);
  return sums;
}

TEST(IsByteCounts, CountBeyondAByte) {
  ByteCounts counts = clear_counts();
  for (int round = 0; round < 2; ++round) {
    counts.count(squares());
    const std::vector<std::uint32_t> sums = take_all(counts);
    for (std::uint32_t value = 0; value < values; ++value) {
      EXPECT_EQ(sums[value], value * value) << "round " << round;
    }
  }
}

TEST(IsByteCounts, AddToWhatIsThere) {
  ByteCounts counts = clear_counts();
  counts.count(std::vector<Key>{7, 9, 7});
  std::vector<std::uint32_t> sums(3, 10);
  counts.take({7, 10}, sums.data());
  EXPECT_EQ(sums, (std::vector<std::uint32_t>{12, 10, 11}));
}

TEST(IsByteCounts, TellHowManyKeysHaveSomeValues) {
  ByteCounts counts = clear_counts();
  counts.count(squares());
  EXPECT_EQ(counts.keys_of({0, 4}), 0 + 1 + 4 + 9);
  EXPECT_EQ(counts.keys_of({98, 100}), 98 * 98 + 99 * 99);
  EXPECT_EQ(counts.keys_of({0, values}), static_cast<std::int64_t>(squares().size()));
  EXPECT_EQ(counts.keys_of({50, 50}), 0);
}

TEST(IsByteCounts, CountFewKeysOrNone) {
  ByteCounts counts = clear_counts();
  counts.count({});
  EXPECT_EQ(counts.keys_of({0, values}), 0);
  take_all(counts);
  counts.count(std::vector<Key>{99});
  EXPECT_EQ(counts.keys_of({99, 100}), 1);
}

}  // namespace
}  // namespace bankfull::npb::is
