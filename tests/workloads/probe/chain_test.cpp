#include "bankfull/workloads/probe/chain.hpp"

#include "bankfull/core/base/bytes.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace bankfull::probe {
namespace {

/// Nodes that a walk from 0 visits before it meets one again.
std::int64_t cycle_from_zero(const std::vector<std::uint32_t>& next) {
  std::vector<bool> visited(next.size(), false);
  std::int64_t count = 0;
  for (std::uint32_t at = 0; !visited.at(at); at = next[at]) {
    visited[at] = true;
    ++count;
  }
  return count;
}

TEST(RandomCycle, IsOneCycleThroughEveryNode) {
  for (const std::int64_t count : {1, 2, 3, 5, 7, 64, 1000, 4097, 99991}) {
    for (const std::uint64_t seed : {0U, 1U, 2008U}) {
      const auto next = random_cycle(count, seed);
      ASSERT_EQ(static_cast<std::int64_t>(next.size()), count);
      EXPECT_EQ(cycle_from_zero(next), count) << "seed " << seed;
    }
  }
}

TEST(RandomCycle, HasNoFixedPoints) {
  const auto next = random_cycle(1001, 3);
  for (std::uint32_t n = 0; n < next.size(); ++n) {
    EXPECT_NE(next[n], n);
  }
}

TEST(RandomCycle, IsDeterministicAndDependsOnTheSeed) {
  EXPECT_EQ(random_cycle(500, 1), random_cycle(500, 1));
  EXPECT_NE(random_cycle(500, 1), random_cycle(500, 2));
}

TEST(RandomCycle, IsNotASequence) {
  const auto next = random_cycle(10000, 1);
  int neighbours = 0;
  for (std::uint32_t n = 0; n < next.size(); ++n) {
    neighbours += next[n] == n + 1 || n == next[n] + 1 ? 1 : 0;
  }
  EXPECT_LT(neighbours, 20);
}

TEST(CycleIn, VisitsNodesInItsOrder) {
  EXPECT_EQ(cycle_in(ChainOrder::ascending, 4, 1), (std::vector<std::uint32_t>{1, 2, 3, 0}));
  EXPECT_EQ(cycle_in(ChainOrder::descending, 4, 1), (std::vector<std::uint32_t>{3, 0, 1, 2}));
  EXPECT_EQ(cycle_in(ChainOrder::random, 100, 7), random_cycle(100, 7));
  for (const ChainOrder order : chain_order_names.list()) {
    for (const std::int64_t count : {1, 2, 1000}) {
      EXPECT_EQ(cycle_from_zero(cycle_in(order, count, 3)), count);
    }
  }
}

TEST(ChainLayout, PutsEveryNodeInItsOwnLineOfItsSlot) {
  for (const std::int64_t stride : {64, 128, 192, 4096, 65536, 2097152}) {
    const ChainLayout layout = make_layout(300 * stride, stride, 64, 1000);
    EXPECT_EQ(layout.nodes, 300);
    for (std::int64_t n = 0; n < layout.nodes; ++n) {
      EXPECT_GE(layout.offset(n), n * stride);
      EXPECT_LE(layout.offset(n) + 64, (n + 1) * stride);
      EXPECT_EQ(layout.offset(n) % 64, 0);
    }
  }
}

TEST(ChainLayout, SpreadsPagesOverCacheSets) {
  // 512 pages fill an L1 of 64 sets and an L2 of 1024 sets evenly, 8 ways deep at most.
  for (const std::int64_t stride : {4096, 65536, 2097152}) {
    const ChainLayout layout = make_layout(512 * stride, stride, 64, 1000);
    std::vector<int> l1(64, 0);
    std::set<std::int64_t> l2;
    for (std::int64_t n = 0; n < layout.nodes; ++n) {
      ++l1[static_cast<std::size_t>(layout.offset(n) / 64 % 64)];
      l2.insert(layout.offset(n) / 64 % 1024);
    }
    EXPECT_LE(*std::max_element(l1.begin(), l1.end()), 10) << stride;
    EXPECT_GE(l2.size(), 400U) << stride;
  }
}

TEST(ChainLayout, BoundsTheNumberOfNodes) {
  const ChainLayout layout = make_layout(gib, 64, 64, 1 << 20);
  EXPECT_LE(layout.nodes, 1 << 20);
  EXPECT_EQ(layout.footprint(), gib);
  const ChainLayout odd = make_layout(gib + 192, 64, 64, 1000000);
  EXPECT_LE(odd.nodes, 1000000);
  EXPECT_LE(odd.footprint(), gib + 192);
  EXPECT_GE(odd.footprint(), gib - 65536);
}

}  // namespace
}  // namespace bankfull::probe
