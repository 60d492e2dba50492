#include "bankfull/core/memory/host_pages.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

constexpr std::size_t several_pages = std::size_t{16} << 20;

TEST(HostPages, SmallPagesAreNotHuge) {
  const Memory memory(MemorySpace::host, several_pages);
  ask_for_pages(memory, HostPages::small);
  std::memset(memory.data(), 1, memory.bytes());
  EXPECT_EQ(share_in_huge_pages(memory), 0.0);
}

TEST(HostPages, ShareIsAPart) {
  const Memory memory(MemorySpace::host, several_pages);
  ask_for_pages(memory, HostPages::huge);
  std::memset(memory.data(), 1, memory.bytes());
  EXPECT_GE(share_in_huge_pages(memory), 0.0);
  EXPECT_LE(share_in_huge_pages(memory), 1.0);
}

TEST(HostPages, TinyMemoryIsLeftAlone) {
  const Memory memory(MemorySpace::host, 100);
  ask_for_pages(memory, HostPages::small);
  EXPECT_GE(base_page_bytes(), 4096U);
}

}  // namespace
}  // namespace bankfull
