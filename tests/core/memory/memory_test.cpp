#include "bankfull/core/memory/memory.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(Buffer, LargeOnesAreAlignedToHugePages) {
  const Buffer<double> buffer(MemorySpace::host, std::size_t{1} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (std::uintptr_t{2} << 20), 0U);
  EXPECT_EQ(buffer.bytes(), std::size_t{8} << 20);
}

TEST(Buffer, MovesItsMemory) {
  Buffer<int> first(MemorySpace::host, 10);
  int* data = first.data();
  const Buffer<int> second = std::move(first);
  EXPECT_EQ(second.data(), data);
}

TEST(Buffer, ANegativeSizeIsRefused) {
  for (const std::int64_t size : {std::int64_t{-1}, std::int64_t{-1000}, std::int64_t{-1} << 40}) {
    EXPECT_THROW(Buffer<double>(MemorySpace::host, static_cast<std::size_t>(size)), RuntimeFailure);
  }
}

TEST(Buffer, EmptyIsFine) { EXPECT_EQ(Buffer<int>(MemorySpace::host, 0).size(), 0U); }

TEST(MemoryWatch, FindsTheMostThatWasHeldAtOnce) {
  const Buffer<std::byte> before(MemorySpace::host, 1000);
  const MemoryWatch watch(MemorySpace::host);
  EXPECT_EQ(watch.max_bytes(), 0);
  {
    const Buffer<std::byte> first(MemorySpace::host, 300);
    const Buffer<std::byte> second(MemorySpace::host, 5000);
  }
  const Buffer<std::byte> later(MemorySpace::host, 4000);
  EXPECT_EQ(watch.max_bytes(), 5300);
  EXPECT_EQ(MemoryWatch(MemorySpace::host).max_bytes(), 0);
}

TEST(Capacity, WhatFitsPasses) { require_capacity(Device::cpu(), 1024, "a test", "never"); }

TEST(Capacity, WhatDoesNotFitNamesNeedFreeAndRemedy) {
  try {
    require_capacity(Device::cpu(), std::int64_t{1} << 60, "a test", "take less");
    FAIL() << "an exbibyte was granted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                ::testing::MatchesRegex("a test needs 1 EiB, cpu has .* free; take less"));
  }
}

}  // namespace
}  // namespace bankfull
