#pragma once

#include "bankfull/workloads/npb/is/is.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

namespace bankfull::npb::is {

/// What the room of buckets is for some keys.
enum class Room {
  enough,
  unknown,  ///< of ascending keys: units that blocks do not fill may be room enough
  too_little,
};

/// Keys to be ranked: NPB's, and such as no draw of NPB's would give.
struct KeySet {
  const char* name;
  Room room;

  /// Key n of `keys` below `values`, where NPB has `drawn`.
  Key (*key)(std::int64_t n, std::int64_t keys, std::int64_t values, Key drawn);
};

inline const std::array<KeySet, 7> key_sets{
    {{"Npb", Room::enough, [](auto, auto, auto, Key drawn) { return drawn; }},
     {"AllEqual", Room::too_little,
      [](auto, auto, auto values, Key) { return static_cast<Key>(values / 3); }},
     // Blocks fill units up with the largest value of a bucket.
     {"AllLargest", Room::too_little,
      [](auto, auto, auto values, Key) { return static_cast<Key>(values - 1); }},
     {"OneBucket", Room::too_little,
      [](auto n, auto, auto values, Key) { return static_cast<Key>(values / 2 + n % 4); }},
     {"Ascending", Room::unknown,
      [](auto n, auto keys, auto values, Key) { return static_cast<Key>(n * values / keys); }},
     {"TwoValues", Room::too_little,
      [](auto n, auto, auto values, Key) { return static_cast<Key>(n % 2 * (values - 1)); }},
     {"OneBucketTooFull", Room::too_little, [](auto n, auto, auto values, Key drawn) {
        return n % 16 == 7 ? static_cast<Key>(values / 5) : drawn;
      }}}};

inline std::string name_of_set(const testing::TestParamInfo<KeySet>& info) {
  return info.param.name;
}

inline std::vector<Key> keys_of(const KeySet& set, Class size) {
  const std::int64_t count = std::int64_t{1} << is_parameters(size).log2_keys;
  const std::int64_t values = std::int64_t{1} << is_parameters(size).log2_values;
  std::vector<Key> keys(static_cast<std::size_t>(count));
  generate(size, 0, keys);
  for (std::int64_t n = 0; n < count; ++n) {
    Key& key = keys[static_cast<std::size_t>(n)];
    key = set.key(n, count, values, key);
  }
  return keys;
}

/// For each value, how many keys are smaller after a run, which changes some.
inline std::vector<std::int64_t> right_ranks(Class size, std::vector<Key> keys) {
  for (int iteration = 1; iteration <= is_iterations; ++iteration) {
    for (const Change& change : changes_of(size, iteration)) {
      keys[static_cast<std::size_t>(change.position)] = change.key;
    }
  }
  std::vector<std::int64_t> ranks(std::size_t{1} << is_parameters(size).log2_values, 0);
  for (const Key key : keys) {
    ++ranks[key];
  }
  std::exclusive_scan(ranks.begin(), ranks.end(), ranks.begin(), std::int64_t{0});
  return ranks;
}

/// Collective: ranks these keys as a program would, twice.
inline void expect_ranked(Ranking& ranking, Class size, const std::vector<Key>& keys) {
  const std::vector<std::int64_t> expected = right_ranks(size, keys);
  ranking.replace_keys(keys);
  ranking.rewind();
  ranking.warm_up();
  for (int run = 0; run < 2; ++run) {
    ranking.rewind();
    ranking.run();
    EXPECT_TRUE(ranking.checks().back().passed()) << ranking.checks().back().name;
    const auto [values, smaller] = ranking.value_ranks();
    const std::vector<std::int64_t> part(expected.begin() + values.begin,
                                         expected.begin() + values.end);
    EXPECT_TRUE(smaller == part) << "values " << values.begin << " to " << values.end;
  }
}

/// What its results say of how keys were ranked.
inline std::string how_ranked(const Ranking& ranking) {
  const std::vector<Figure> parameters = ranking.parameters();
  EXPECT_EQ(parameters.size(), 1U);
  EXPECT_EQ(parameters.front().name, "ranked");
  return std::get<std::string>(parameters.front().value);
}

/// No traffic, and so no percentage, where all keys were ranked by value in some run.
inline void expect_stated(const Ranking& ranking, bool by_value) {
  EXPECT_EQ(how_ranked(ranking), by_value ? "by_value" : "by_distribution");
  EXPECT_EQ(ranking.work().traffic.bytes() > 0.0, !by_value);
  EXPECT_EQ(ranking.notes().size(), by_value ? 1U : 0U);
}

/// Collective: NPB's own keys, of the set-up and none replaced, have room in every run.
inline void expect_room_for_own_keys(Ranking& ranking) {
  for (int run = 0; run < 2; ++run) {
    ranking.rewind();
    ranking.run();
    EXPECT_FALSE(ranking.overflowed());
  }
  expect_stated(ranking, false);
  for (const Check& check : ranking.checks()) {
    EXPECT_TRUE(check.passed()) << check.name << ": " << check.value;
  }
}

/// Any keys, by a ranking in buckets whose room may be too little, which it must notice; it is
/// enough for NPB's keys, also after others.
inline void expect_ranked_in_buckets(Ranking& ranking, Class size, const KeySet& set) {
  expect_ranked(ranking, size, keys_of(set, size));
  if (set.room != Room::unknown) {
    EXPECT_EQ(ranking.overflowed(), set.room == Room::too_little);
    expect_stated(ranking, set.room == Room::too_little);
  }
  expect_ranked(ranking, size, keys_of(key_sets.front(), size));
  EXPECT_FALSE(ranking.overflowed());
  expect_stated(ranking, false);
}

/// What verification says of ranks that a perturbed operator has formed.
inline void expect_all_wrong(Benchmark& benchmark) {
  benchmark.rewind();
  benchmark.warm_up();
  benchmark.rewind();
  benchmark.run();
  const std::vector<Check> checks = benchmark.checks();
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks.front().value, 0.0) << checks.front().name;
  EXPECT_FALSE(checks.back().passed()) << checks.back().name;
}

}  // namespace bankfull::npb::is
