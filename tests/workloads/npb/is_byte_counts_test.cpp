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

TEST(IsByteCounts, FindHowManyKeysHaveSomeValues) {
  ByteCounts counts = clear_counts();
  counts.count(squares());
  EXPECT_EQ(counts.keys_of({0, 4}), 0 + 1 + 4 + 9);
  EXPECT_EQ(counts.keys_of({98, 100}), 98 * 98 + 99 * 99);
  EXPECT_EQ(counts.keys_of({0, values}), static_cast<std::int64_t>(squares().size()));
  EXPECT_EQ(counts.keys_of({50, 50}), 0);
}

TEST(IsByteCounts, LookAheadWhereValuesAreMany) {
  constexpr std::int64_t many = std::int64_t{1} << 21;
  ByteCounts counts(many);
  counts.clear();
  std::vector<Key> keys;
  for (Key n = 0; n < 1000; ++n) {
    keys.push_back(n * 2000);
  }
  for (const std::size_t size :
       {std::size_t{1000}, std::size_t{65}, std::size_t{64}, std::size_t{1}}) {
    counts.count(std::span(keys).first(size));
    std::vector<std::uint32_t> sums(many, 0);
    counts.take({0, many}, sums.data());
    for (std::size_t n = 0; n < keys.size(); ++n) {
      EXPECT_EQ(sums[keys[n]], n < size ? 1 : 0) << n << " of " << size;
    }
  }
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
