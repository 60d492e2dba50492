#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/half_queues.cuh"
#include "bankfull/core/exec/halved_memory.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/timed_atomics.cuh"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

template <class T>
std::vector<T> downloaded(const Buffer<T>& buffer, const Stream& stream) {
  return CudaExecutor(stream).to_host(buffer.data(), static_cast<std::int64_t>(buffer.size()));
}

/// Writes half and number of every block into its first and last words; one thread per block.
__global__ void number_blocks_kernel(HalvedView view, std::int64_t blocks) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < 2 * blocks) {
    const auto half = static_cast<std::uint32_t>(n % 2);
    auto* const words =
        reinterpret_cast<unsigned*>(view.block(half, n / 2, view.is_swapped(n / 2)));
    words[0] = static_cast<unsigned>(n) + 1;
    words[half_block_bytes / sizeof(unsigned) - 1] = static_cast<unsigned>(n) + 1;
  }
}

__global__ void find_blocks_kernel(HalvedView view, std::int64_t blocks, unsigned* found) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < 2 * blocks) {
    const auto* const words = reinterpret_cast<const unsigned*>(view.memory + n * half_block_bytes);
    found[n] = words[0] == words[half_block_bytes / sizeof(unsigned) - 1] ? words[0] : 0;
  }
}

/// For each block in the order of addresses 1 + 2 n + h, as kernels address it.
std::vector<unsigned> blocks_in(const HalvedMemory& memory, const Stream& stream) {
  const std::int64_t blocks = memory.blocks();
  const Buffer<unsigned> found(MemorySpace::device, static_cast<std::size_t>(2 * blocks));
  const LaunchShape shape{dim3(static_cast<unsigned>(2 * blocks / 128 + 1)), dim3(128)};
  launch(stream, shape, number_blocks_kernel, memory.view(), blocks);
  launch(stream, shape, find_blocks_kernel, memory.view(), blocks, found.data());
  return downloaded(found, stream);
}

TEST(HalvedMemory, HasEveryBlockOfBothHalvesOnce) {
  const Stream stream(Device::cuda(0));
  const L2Halves halves(stream);
  for (const std::int64_t blocks : {1, 31, 32, 1000, 70000}) {
    const HalvedMemory memory(halves, blocks, stream);
    std::vector<unsigned> found = blocks_in(memory, stream);
    std::ranges::sort(found);
    std::vector<unsigned> expected(found.size());
    std::iota(expected.begin(), expected.end(), 1U);
    EXPECT_EQ(found, expected) << blocks;
  }
}

TEST(HalvedMemory, TakesTheBitsThatItIsGiven) {
  const Stream stream(Device::cuda(0));
  const std::vector<std::uint32_t> swapped{0x80000001U, 0x2U};
  const HalvedMemory memory(swapped, 35, stream);
  const std::vector<unsigned> found = blocks_in(memory, stream);
  for (unsigned pair = 0; pair < 35; ++pair) {
    const bool is_swapped = pair == 0 || pair == 31 || pair == 33;
    EXPECT_EQ(found[2 * pair], 1 + 2 * pair + (is_swapped ? 1 : 0)) << pair;
    EXPECT_EQ(found[2 * pair + 1], 1 + 2 * pair + (is_swapped ? 0 : 1)) << pair;
  }
}

TEST(HalvedMemory, IsZero) {
  const Stream stream(Device::cuda(0));
  const HalvedMemory memory(L2Halves(stream), 300, stream);
  std::vector<unsigned> words(300 * 2 * half_block_bytes / sizeof(unsigned));
  copy_bytes(words.data(), memory.view().memory, words.size() * sizeof(unsigned), stream);
  stream.synchronize();
  EXPECT_TRUE(std::ranges::all_of(words, [](unsigned word) { return word == 0; }));
}

TEST(L2Halves, EveryMultiprocessorHasAHalf) {
  const Stream stream(Device::cuda(0));
  const L2Halves halves(stream);
  EXPECT_EQ(halves.multiprocessors(0) + halves.multiprocessors(1),
            multiprocessors_of(stream.device()));
  EXPECT_EQ(halves.multiprocessors(1) > 0, halves.apart());
}

/// Blocks of one thread. For each pair, as a multiprocessor of some half sees it, by how many
/// clocks the block that is said to be its own half's is nearer than the other one.
__global__ void time_pairs_kernel(HalvedView view, std::int64_t pairs, const std::uint8_t* half,
                                  int* nearer) {
  constexpr int tries = 9;
  const unsigned own = half[multiprocessor_number()];
  for (std::int64_t pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
    const std::uint32_t swapped = view.is_swapped(pair);
    const auto clocks = [&](std::uint32_t of) {
      auto* const line = reinterpret_cast<unsigned*>(view.block(of, pair, swapped) + 1024);
      return static_cast<int>(fewest_clocks(line, tries));
    };
    nearer[pair] = clocks(own ^ 1U) - clocks(own);
  }
}

TEST(HalvedMemory, IsNearerToTheHalfThatIsSaidToOwnIt) {
  const Stream stream(Device::cuda(0));
  const L2Halves halves(stream);
  if (!halves.apart()) {
    GTEST_SKIP() << "this GPU's L2 has one part, or other work disturbs the measurement";
  }
  constexpr std::int64_t pairs = 8192;
  const HalvedMemory memory(halves, pairs, stream);
  const Buffer<int> nearer(MemorySpace::device, pairs);
  launch(stream, {dim3(static_cast<unsigned>(multiprocessors_of(stream.device()))), dim3(1)},
         time_pairs_kernel, memory.view(), pairs, halves.of_multiprocessor(), nearer.data());
  const std::vector<int> found = downloaded(nearer, stream);
  EXPECT_GE(std::ranges::count_if(found, [](int clocks) { return clocks > 0; }), 0.95 * pairs);
}

/// Each block claims until nothing is left, and counts its claims.
__global__ void claim_all_kernel(HalfQueues queues, unsigned* times) {
  for (Claim claim = claim_item(queues); claim.any; claim = claim_item(queues)) {
    atomicAdd(times + (claim.half == 0 ? 0U : queues.counts[0]) + claim.item, 1U);
  }
}

TEST(HalfQueues, EveryItemIsClaimedOnce) {
  const Stream stream(Device::cuda(0));
  const L2Halves halves(stream);
  for (const auto& [first, second] : {std::pair{1000U, 1100U}, {0U, 777U}, {5000U, 3U}, {0U, 0U}}) {
    const Buffer<unsigned> claimed(MemorySpace::device, 2);
    const Buffer<unsigned> times(MemorySpace::device, first + second + 1);
    fill_bytes(claimed.data(), 0, claimed.bytes(), stream);
    fill_bytes(times.data(), 0, times.bytes(), stream);
    launch(stream, {dim3(500), dim3(1)}, claim_all_kernel,
           HalfQueues{claimed.data(), {first, second}, halves.of_multiprocessor()}, times.data());
    std::vector<unsigned> expected(first + second + 1, 1U);
    expected.back() = 0;
    EXPECT_EQ(downloaded(times, stream), expected) << first << ' ' << second;
  }
}

/// One block claims everything. Item n of half h is 2 n + h.
__global__ void note_claims_kernel(HalfQueues queues, unsigned* order) {
  for (Claim claim = claim_item(queues); claim.any; claim = claim_item(queues)) {
    *order++ = 2 * claim.item + claim.half;
  }
}

TEST(HalfQueues, TheOwnHalfComesFirst) {
  const Stream stream(Device::cuda(0));
  const std::vector<std::uint8_t> all_of_half_1(max_multiprocessors, 1);
  const Buffer<std::uint8_t> half(MemorySpace::device, all_of_half_1.size());
  copy_bytes(half.data(), all_of_half_1.data(), half.bytes(), stream);
  const Buffer<unsigned> claimed(MemorySpace::device, 2);
  const Buffer<unsigned> order(MemorySpace::device, 5);
  fill_bytes(claimed.data(), 0, claimed.bytes(), stream);
  launch(stream, {dim3(1), dim3(1)}, note_claims_kernel,
         HalfQueues{claimed.data(), {2, 3}, half.data()}, order.data());
  EXPECT_EQ(downloaded(order, stream), (std::vector<unsigned>{1, 3, 5, 0, 2}));
}

}  // namespace
}  // namespace bankfull
