#include "bankfull/workloads/npb/is/key_lists.hpp"
#include "tests/workloads/npb/is_keys.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::npb::is {
namespace {

constexpr int min_log2 = 4;

/// The keys of a bucket in the order in which they came.
std::vector<Key> keys_in(const KeyLists& lists, const Buckets& buckets, std::size_t bucket) {
  std::vector<Key> keys;
  lists.for_parts(bucket, [&](std::span<const LowBits> part) {
    for (const LowBits low : part) {
      keys.push_back(static_cast<Key>(buckets.first_value(bucket)) + low);
    }
  });
  return keys;
}

void expect_sorted(const KeyLists& lists, const Buckets& buckets, std::span<const Key> keys) {
  std::vector<std::vector<Key>> expected(buckets.count);
  for (const Key key : keys) {
    expected[buckets.of(key)].push_back(key);
  }
  for (std::size_t bucket = 0; bucket < buckets.count; ++bucket) {
    EXPECT_EQ(lists.count(bucket), static_cast<std::int64_t>(expected[bucket].size()));
    EXPECT_TRUE(keys_in(lists, buckets, bucket) == expected[bucket]) << bucket;
  }
}

class IsKeyLists : public testing::TestWithParam<KeySet> {};

TEST_P(IsKeyLists, HaveEveryKeyInItsBucket) {
  const Buckets buckets(Class::s, min_log2);
  const std::vector<Key> keys = keys_of(GetParam(), Class::s);
  KeyLists lists(buckets, static_cast<std::int64_t>(keys.size()));
  lists.sort(keys);
  expect_sorted(lists, buckets, keys);
}

TEST_P(IsKeyLists, ForgetTheKeysBefore) {
  const Buckets buckets(Class::s, min_log2);
  const std::vector<Key> keys = keys_of(GetParam(), Class::s);
  KeyLists lists(buckets, static_cast<std::int64_t>(keys.size()));
  lists.sort(keys);
  // Numbers of keys that end within lines and chunks.
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{2049}, std::size_t{33'333}}) {
    const std::span<const Key> some(keys.data(), count);
    lists.sort(some);
    expect_sorted(lists, buckets, some);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, IsKeyLists, testing::ValuesIn(key_sets), name_of_set);

}  // namespace
}  // namespace bankfull::npb::is
