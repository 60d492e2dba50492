#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace bankfull {

namespace detail {

/// Slots of the slices of one half, 0 for the others; notes slices that are too wide for their bits.
template <class HalfOf>
struct CountHalf {
  const std::int64_t* slot = {};
  HalfOf half_of = {};
  std::uint32_t half = {};
  std::int64_t max_width = {};
  std::int32_t* count = {};
  std::int32_t* too_wide = {};  ///< set to 1 where there is one

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice) const {
    const std::int64_t width = slot[slice + 1] - slot[slice];
    count[slice] = half_of(slice) == half ? static_cast<std::int32_t>(width) : 0;
    if (width > max_width) {
      *too_wide = 1;
    }
  }
};

/// Where the slots of each slice lie.
template <int Height, class HalfOf>
struct PlaceSlices {
  const std::int64_t* slot = {};
  HalfOf half_of = {};
  const std::int64_t* first_of_half0 = {};  ///< slots of the stream before a slice
  const std::int64_t* first_of_half1 = {};
  HalvedView memory = {};
  bool told = {};  ///< whether the halves of blocks are looked up
  std::int64_t column_pair = {};
  std::int64_t pairs = {};
  HalvedSlice* result = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice) const {
    const std::uint32_t half = half_of(slice);
    const std::int64_t begin = (half == 0 ? first_of_half0 : first_of_half1)[slice];
    const std::int64_t end = begin + slot[slice + 1] - slot[slice];
    result[slice] = {
        static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
        seconds(half, begin / slots_in_block<Height, double>, column_pair),
        seconds(half, column_pair + begin / slots_in_block<Height, std::int32_t>, pairs)};
  }

 private:
  /// The bits of the pairs from `pair` on, as far as the stream goes.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::uint32_t seconds(std::uint32_t half, std::int64_t pair,
                                                           std::int64_t end) const {
    std::uint32_t bits = 0;
    for (std::uint32_t n = 0; n < 32; ++n) {
      const bool known = told && pair + n < end;
      bits |= (half ^ (known ? memory.is_swapped(pair + n) : 0U)) << n;
    }
    return bits;
  }
};

/// Copies the entries of a row.
template <int Height>
struct MoveEntries {
  SlicedView<FullColumns> from = {};
  HalvedEntries to = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const std::int64_t slice = row / Height;
    const HalvedSlice at = to.slice[slice];
    std::int64_t entry = from.slot[slice] * Height + row % Height;
    for (std::uint32_t slot = at.first; slot < at.last; ++slot) {
      to.value<Height>(at, slot)[row % Height] = from.value[entry];
      to.column<Height>(at, slot)[row % Height] = from.columns.column[entry];
      entry += Height;
    }
  }
};

}  // namespace detail

/// Lays the entries of a filled matrix, whose columns are full, out by halves: those of a slice go
/// to half_of(slice). memory_of(blocks) makes the HalvedMemory.
template <int Height, class Executor, class HalfOf, class MemoryOf>
void halve(const Executor& executor, Sliced& matrix, const HalfOf& half_of,
           const MemoryOf& memory_of) {
  const std::int64_t slices = matrix.slices;
  const std::int64_t* const slot = matrix.slot.data();
  const auto count = executor.template make<std::int32_t>(slices + 1);
  const auto first = executor.template make<std::int64_t>(2 * (slices + 1));
  const auto too_wide = executor.template make<std::int32_t>(1);
  executor.fill(too_wide.data(), 1, std::int32_t{0});
  std::int64_t most = 0;
  for (std::uint32_t half = 0; half < 2; ++half) {
    executor.each(slices,
                  detail::CountHalf<HalfOf>{slot, half_of, half, max_halved_width<Height>,
                                            count.data(), too_wide.data()});
    most = std::max(most, executor.exclusive_sum(count.data(), slices,
                                                 first.data() + half * (slices + 1)));
  }
  expects(most <= std::numeric_limits<std::uint32_t>::max(), "slots of a stream can be numbered");
  const auto blocks = [&](std::int64_t slots) { return (most + slots - 1) / slots; };
  matrix.column_pair = blocks(slots_in_block<Height, double>);
  const std::int64_t pairs = matrix.column_pair + blocks(slots_in_block<Height, std::int32_t>);
  matrix.halves = memory_of(pairs);
  matrix.slice = executor.template make<HalvedSlice>(slices);
  const bool told = executor.to_host(too_wide.data(), 1).front() == 0;
  executor.each(slices, detail::PlaceSlices<Height, HalfOf>{slot,
                                                            half_of,
                                                            first.data(),
                                                            first.data() + slices + 1,
                                                            matrix.halves.view(),
                                                            told,
                                                            matrix.column_pair,
                                                            pairs,
                                                            matrix.slice.data()});
  executor.each(slices * Height,
                detail::MoveEntries<Height>{matrix.full_view(), matrix.halved_view().entries});
  executor.synchronize();
  matrix.column = {};
  matrix.value = {};
  matrix.base = {};
  matrix.halved = true;
}

}  // namespace bankfull
