#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/numerics/sparse/halve_slices.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

constexpr int height = 32;

/// Halves of slices, at random.
struct RandomHalf {
  BANKFULL_HOST_DEVICE std::uint32_t operator()(std::int64_t slice) const {
    return static_cast<std::uint32_t>(random_bits(1, static_cast<std::uint64_t>(slice)) & 1U);
  }
};

/// Fills all slots with random entries.
struct FillRandom {
  const std::int64_t* slot = {};
  std::int32_t* column = {};
  double* value = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    for (std::int64_t n = slot[row / height]; n < slot[row / height + 1]; ++n) {
      const std::int64_t entry = n * height + row % height;
      const auto number = static_cast<std::uint64_t>(entry);
      column[entry] = static_cast<std::int32_t>(random_bits(2, number) % 1000000);
      value[entry] = random_symmetric(3, number);
    }
  }
};

/// Entries as they are found by halves, in the order of their slots and lanes.
struct FindEntries {
  SlicedView<HalvedEntries> from = {};
  const std::int64_t* slot = {};
  std::int32_t* column = {};
  double* value = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const HalvedSlice at = from.entries.slice[row / height];
    std::int64_t entry = slot[row / height] * height + row % height;
    for (std::uint32_t n = at.first; n < at.last; ++n) {
      column[entry] = from.entries.column<height>(at, n)[row % height];
      value[entry] = from.entries.value<height>(at, n)[row % height];
      entry += height;
    }
  }
};

Sliced filled(const CudaExecutor& executor, const std::vector<std::int32_t>& widths) {
  const auto slices = static_cast<std::int64_t>(widths.size());
  const auto width = executor.make<std::int32_t>(slices + 1);
  executor.fill(width.data(), slices + 1, std::int32_t{0});
  executor.from_host(widths, width.data());
  Sliced matrix = make_sliced<height>(executor, width.data(), slices);
  fill_sliced<height>(executor, std::array{&matrix}, {{0, slices}},
                      FillRandom{matrix.slot.data(), matrix.column.data(), matrix.value.data()});
  return matrix;
}

HalvedMemory with_random_halves(std::int64_t blocks, const Stream& stream) {
  std::vector<std::uint32_t> swapped;
  for (std::int64_t n = 0; n <= blocks / 32; ++n) {
    swapped.push_back(static_cast<std::uint32_t>(random_bits(4, static_cast<std::uint64_t>(n))));
  }
  return {swapped, blocks, stream};
}

void expect_all_entries(const std::vector<std::int32_t>& widths) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor executor(stream);
  Sliced matrix = filled(executor, widths);
  const auto columns = executor.to_host(matrix.column.data(), matrix.entries);
  const auto values = executor.to_host(matrix.value.data(), matrix.entries);
  halve<height>(executor, matrix, RandomHalf{},
                [&](std::int64_t blocks) { return with_random_halves(blocks, stream); });
  const auto column = executor.make<std::int32_t>(matrix.entries);
  const auto value = executor.make<double>(matrix.entries);
  executor.each(matrix.slices * height,
                FindEntries{matrix.halved_view(), matrix.slot.data(), column.data(), value.data()});
  EXPECT_EQ(executor.to_host(column.data(), matrix.entries), columns);
  EXPECT_EQ(executor.to_host(value.data(), matrix.entries), values);

  // The blocks are those of the slice's half.
  const auto slices = executor.to_host(matrix.slice.data(), matrix.slices);
  const HalvedMemory memory = with_random_halves(matrix.halved_values.blocks(), stream);
  const auto swapped = executor.to_host(memory.view().swapped, memory.blocks() / 32 + 1);
  for (std::size_t n = 0; n < slices.size(); ++n) {
    if (slices[n].first < slices[n].last) {
      const std::uint32_t pair = slices[n].first / slots_in_block<height, double>;
      EXPECT_EQ(slices[n].second_of_values & 1U, RandomHalf{}(static_cast<std::int64_t>(n)) ^
                                                     (swapped[pair / 32] >> (pair % 32) & 1U))
          << n;
    }
  }
}

TEST(HalvedSlices, HoldAllEntries) {
  std::vector<std::int32_t> widths;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    widths.push_back(static_cast<std::int32_t>(random_bits(5, n) % 40));
  }
  expect_all_entries(widths);
}

TEST(HalvedSlices, HoldAllEntriesOfWideSlices) {
  constexpr auto widest = static_cast<std::int32_t>(max_halved_width<height>);
  expect_all_entries({3, widest, 5, widest, 0, 17, widest, widest - 1});
}

TEST(HalvedSlices, MayBeEmpty) { expect_all_entries({0, 0, 0}); }

}  // namespace
}  // namespace bankfull
