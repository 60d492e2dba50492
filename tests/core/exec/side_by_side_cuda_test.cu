#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/side_by_side.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace bankfull {
namespace {

struct AddNumber {
  std::int32_t* data;
  std::int32_t number;

  __device__ void operator()(std::int64_t n) const {
    data[n] += number + static_cast<std::int32_t>(n);
  }
};

class SideBySide : public testing::Test {
 protected:
  Stream stream_{Device::cuda(0)};
  CudaExecutor executor_{stream_};
};

TEST_F(SideBySide, WorkIsDoneWhenItReturns) {
  constexpr std::int64_t size = 1'000'000;
  for (const std::size_t count : {0U, 1U, 5U}) {
    std::vector<Buffer<std::int32_t>> arrays;
    for (std::size_t n = 0; n < count; ++n) {
      arrays.push_back(executor_.make<std::int32_t>(size));
      executor_.fill(arrays[n].data(), size, std::int32_t{3});  // comes before what is begun
    }
    side_by_side(executor_, std::vector<std::int64_t>(count, 0),
                 [&](const CudaExecutor& executor, std::size_t n) {
                   executor.each(size, AddNumber{arrays[n].data(), static_cast<std::int32_t>(n)});
                 });
    for (std::size_t n = 0; n < count; ++n) {
      const auto values = executor_.to_host(arrays[n].data(), size);
      EXPECT_EQ(values.front(), 3 + static_cast<std::int32_t>(n));
      EXPECT_EQ(values.back(), 3 + static_cast<std::int32_t>(n) + size - 1);
    }
  }
}

/// Each waits for the others to begin, but not for ever: if they took turns, none but the last
/// would see all.
TEST_F(SideBySide, AllRunAtOnceOnStreamsOfTheirOwn) {
  constexpr std::size_t count = 4;
  std::latch begun(count);
  std::vector<const void*> streams(count);
  std::atomic<std::size_t> together{0};
  side_by_side(executor_, std::vector<std::int64_t>(count, 1000),
               [&](const CudaExecutor& executor, std::size_t n) {
                 streams[n] = executor.stream().handle();
                 begun.count_down();
                 const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
                 while (!begun.try_wait() && std::chrono::steady_clock::now() < deadline) {
                   std::this_thread::yield();
                 }
                 together += begun.try_wait() ? 1 : 0;
               });
  EXPECT_EQ(together, count);
  EXPECT_EQ(std::set<const void*>(streams.begin(), streams.end()).size(), count);
  EXPECT_EQ(streams.front(), stream_.handle());
}

TEST_F(SideBySide, PassesOnAnExceptionWhenAllAreDone) {
  for (const std::size_t failing : {0U, 2U}) {
    std::atomic<int> done{0};
    EXPECT_THROW(side_by_side(executor_, {0, 0, 0},
                              [&](const CudaExecutor& /*executor*/, std::size_t n) {
                                if (n == failing) {
                                  throw RuntimeFailure("no more of it");
                                }
                                ++done;
                              }),
                 RuntimeFailure);
    EXPECT_EQ(done, 2);
  }
}

/// Of sizes that are rounded up to whole parts.
TEST_F(SideBySide, RegionsAreOneAllocation) {
  constexpr auto unit = static_cast<std::int64_t>(MemoryRegion::alignment);
  const MemoryWatch watch(MemorySpace::device);
  std::vector<Buffer<std::byte>> kept(3);
  side_by_side(executor_, {unit + 1, 0, 5 * unit},
               [&](const CudaExecutor& executor, std::size_t n) {
                 kept[n] = executor.make<std::byte>(n == 1 ? 1 : 2 * unit);
               });
  EXPECT_EQ(watch.max_bytes(), 8 * unit);
  std::set<const std::byte*> places;
  for (const Buffer<std::byte>& part : kept) {
    places.insert(part.data());
  }
  EXPECT_EQ(*places.rbegin() - *places.begin(), 3 * unit);
}

/// What is handed back is used again, in the order of the stream.
TEST_F(SideBySide, ArraysOfARegionAreOneAllocation) {
  const MemoryWatch watch(MemorySpace::device);
  const CudaExecutor executor = executor_.with_region(1 << 20);
  const auto first = executor.make<std::int32_t>(1000);
  executor.fill(first.data(), 1000, std::int32_t{1});
  const std::int32_t* place = nullptr;
  {
    const auto second = executor.make<std::int32_t>(1000);
    place = second.data();
    executor.fill(second.data(), 1000, std::int32_t{2});
  }
  const auto third = executor.make<std::int32_t>(1000);
  EXPECT_EQ(third.data(), place);
  executor.fill(third.data(), 1000, std::int32_t{3});
  EXPECT_EQ(executor.to_host(first.data(), 1000), std::vector<std::int32_t>(1000, 1));
  EXPECT_EQ(executor.to_host(third.data(), 1000), std::vector<std::int32_t>(1000, 3));
  EXPECT_EQ(watch.max_bytes(), 1 << 20);
}

}  // namespace
}  // namespace bankfull
