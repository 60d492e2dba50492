#include "bankfull/core/memory/memory_region.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <vector>

namespace bankfull {
namespace {

constexpr std::size_t unit = MemoryRegion::alignment;

TEST(MemoryRegion, ItsPartsLieSideBySideInOnePiece) {
  const MemoryWatch watch(MemorySpace::host);
  const MemoryRegion region(MemorySpace::host, 10 * unit);
  const Buffer<double> first(region, 3);
  const Buffer<char> second(region, unit + 1);
  const Buffer<int> third(region, 0);
  const auto* const begin = reinterpret_cast<const std::byte*>(first.data());
  EXPECT_EQ(reinterpret_cast<const std::byte*>(second.data()) - begin, unit);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(third.data()) - begin, 3 * unit);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % unit, 0U);
  EXPECT_EQ(second.bytes(), unit + 1);
  EXPECT_EQ(second.space(), MemorySpace::host);
  EXPECT_EQ(watch.max_bytes(), 10 * unit);
}

TEST(MemoryRegion, WhatFindsNoRoomIsAllocatedByItselfAndReleased) {
  const MemoryWatch watch(MemorySpace::host);
  const MemoryRegion region(MemorySpace::host, 4 * unit);
  const Memory small = region.take(3 * unit);
  for (int n = 0; n < 3; ++n) {
    const Memory large = region.take(20 * unit);
    const Memory last = region.take(unit);
    EXPECT_EQ(static_cast<std::byte*>(last.data()) - static_cast<std::byte*>(small.data()),
              3 * unit);
    EXPECT_EQ(watch.max_bytes(), 24 * unit);
  }
}

TEST(MemoryRegion, FurtherAllocationsHoldSeveralParts) {
  const MemoryRegion region(MemorySpace::host, 64 * unit);
  const Memory all = region.take(64 * unit);
  const Memory first = region.take(unit);
  const Memory second = region.take(unit);
  EXPECT_EQ(static_cast<std::byte*>(second.data()) - static_cast<std::byte*>(first.data()), unit);
}

TEST(MemoryRegion, WhatIsHandedBackInAnyOrderJoins) {
  const MemoryWatch watch(MemorySpace::host);
  const MemoryRegion region(MemorySpace::host, 4 * unit);
  for (const std::size_t kept : {0U, 1U, 2U, 3U}) {
    std::vector<Memory> parts;
    for (int n = 0; n < 4; ++n) {
      parts.push_back(region.take(unit));
    }
    void* const begin = parts.front().data();
    for (const std::size_t n : {1U, 3U, 2U, 0U}) {
      if (n != kept) {
        parts[n] = {};
      }
    }
    parts[kept] = {};
    EXPECT_EQ(region.take(4 * unit).data(), begin);
  }
  EXPECT_EQ(watch.max_bytes(), 4 * unit);
}

TEST(MemoryRegion, PartsOutliveIt) {
  const MemoryWatch watch(MemorySpace::host);
  std::optional<MemoryRegion> region(std::in_place, MemorySpace::host, 8 * unit);
  Memory part = region->take(unit);
  const Memory moved = std::move(part);
  region.reset();
  std::memset(moved.data(), 1, moved.bytes());
  const Memory other(MemorySpace::host, unit);
  EXPECT_EQ(watch.max_bytes(), 9 * unit);
}

TEST(MemoryRegion, IsReleasedWithTheLastOfItsParts) {
  const MemoryWatch watch(MemorySpace::host);
  { const Memory part = MemoryRegion(MemorySpace::host, 8 * unit).take(unit); }
  const Memory other(MemorySpace::host, 8 * unit);
  EXPECT_EQ(watch.max_bytes(), 8 * unit);
}

/// As of several threads: what one takes and hands back is not the other's.
TEST(MemoryRegion, RegionsMayBePartsOfOne) {
  const MemoryWatch watch(MemorySpace::host);
  std::optional<MemoryRegion> first;
  std::optional<MemoryRegion> second;
  {
    const MemoryRegion whole(MemorySpace::host, 4 * unit);
    first.emplace(whole.take(MemoryRegion::taken_by(2 * unit - 1)));
    second.emplace(whole.take(2 * unit));
  }
  const Memory of_first = first->take(2 * unit);
  const Memory of_second = second->take(unit);
  EXPECT_EQ(static_cast<std::byte*>(of_second.data()) - static_cast<std::byte*>(of_first.data()),
            2 * unit);
  first.reset();
  EXPECT_NE(second->take(unit).data(), nullptr);
  EXPECT_EQ(second->allocations(), 1U);
  EXPECT_EQ(watch.max_bytes(), 4 * unit);
  const Memory more = second->take(2 * unit);  // finds no room beside it
  EXPECT_EQ(second->allocations(), 2U);
  EXPECT_EQ(watch.max_bytes(), 6 * unit);
}

TEST(MemoryRegion, ANegativeSizeIsRefused) {
  const MemoryRegion region(MemorySpace::host, unit);
  for (const std::int64_t size : {std::int64_t{-1}, std::int64_t{-1000}, std::int64_t{-1} << 40}) {
    EXPECT_THROW(static_cast<void>(region.take(static_cast<std::size_t>(size))), RuntimeFailure);
  }
  EXPECT_NE(region.take(unit).data(), nullptr);
}

/// Parts of random sizes, taken and handed back in random order: none overlaps another.
TEST(MemoryRegion, PartsDoNotOverlap) {
  const MemoryRegion region(MemorySpace::host, 100 * unit);
  std::mt19937 random(1);
  std::vector<Memory> parts(16);
  for (int n = 0; n < 2000; ++n) {
    const std::size_t place = random() % parts.size();
    parts[place] = {};
    parts[place] = region.take(random() % (20 * unit) + 1);
    std::memset(parts[place].data(), static_cast<int>(place), parts[place].bytes());
    for (std::size_t m = 0; m < parts.size(); ++m) {
      const auto* const data = static_cast<const unsigned char*>(parts[m].data());
      if (parts[m].bytes() > 0) {
        ASSERT_EQ(data[0], m);
        ASSERT_EQ(data[parts[m].bytes() - 1], m);
      }
    }
  }
}

}  // namespace
}  // namespace bankfull
