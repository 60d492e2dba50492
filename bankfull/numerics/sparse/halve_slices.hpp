#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace bankfull {

namespace detail {

/// Slots of the slices of one half, 0 for the others.
template <class HalfOf>
struct CountHalf {
  const std::int64_t* slot = {};
  HalfOf half_of = {};
  std::uint32_t half = {};
  std::int32_t* count = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice) const {
    count[slice] =
        half_of(slice) == half ? static_cast<std::int32_t>(slot[slice + 1] - slot[slice]) : 0;
  }
};

/// Which slots of the streams a slice of one half has.
template <class HalfOf>
struct PlaceHalf {
  const std::int64_t* slot = {};
  HalfOf half_of = {};
  std::uint32_t half = {};
  const std::int64_t* before = {};  ///< slots of the half's slices before each
  HalvedSlice* result = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice) const {
    if (half_of(slice) == half) {
      result[slice].first = static_cast<std::uint32_t>(before[slice]);
      result[slice].last =
          static_cast<std::uint32_t>(before[slice] + slot[slice + 1] - slot[slice]);
    }
  }
};

/// A slice's bits of the stream of `T`: values or columns.
template <class T>
BANKFULL_HOST_DEVICE std::uint32_t& second_of(HalvedSlice& slice) {
  if constexpr (std::is_same_v<T, double>) {
    return slice.second_of_values;
  } else {
    return slice.second_of_columns;
  }
}

/// Which blocks of a stream of `T` are the second of their pairs, from a slice's first one on.
template <int Height, class T, class HalfOf>
struct TellBlocks {
  HalfOf half_of = {};
  HalvedView memory = {};
  std::int64_t pairs = {};
  HalvedSlice* slices = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t slice) const {
    const std::int64_t first = slices[slice].first / slots_in_block<Height, T>;
    std::uint32_t bits = 0;
    for (std::uint32_t n = 0; n < 32 && first + n < pairs; ++n) {
      bits |= (half_of(slice) ^ memory.is_swapped(first + n)) << n;
    }
    second_of<T>(slices[slice]) = bits;
  }
};

/// Copies a row's elements to a stream.
template <int Height, class T>
struct MoveRow {
  const std::int64_t* slot = {};
  const T* from = {};
  const HalvedSlice* slices = {};
  std::byte* to = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    HalvedSlice at = slices[row / Height];
    const T* element = from + slot[row / Height] * Height + row % Height;
    for (std::uint32_t n = at.first; n < at.last; ++n) {
      HalvedEntries::place<Height, T>(to, second_of<T>(at), at.first, n)[row % Height] = *element;
      element += Height;
    }
  }
};

/// Moves elements to streams of so many slots, which `memory_of` makes.
template <int Height, class T, class Executor, class HalfOf, class MemoryOf>
HalvedMemory move_to_halves(const Executor& executor, const Sliced& matrix, Buffer<T>& from,
                            std::int64_t slots, const HalfOf& half_of, const MemoryOf& memory_of) {
  constexpr std::int64_t in_block = slots_in_block<Height, T>;
  HalvedMemory to = memory_of((slots + in_block - 1) / in_block);
  executor.each(matrix.slices, TellBlocks<Height, T, HalfOf>{half_of, to.view(), to.blocks(),
                                                             matrix.slice.data()});
  executor.each(matrix.slices * Height, MoveRow<Height, T>{matrix.slot.data(), from.data(),
                                                           matrix.slice.data(), to.view().memory});
  executor.synchronize();
  from = {};
  return to;
}

}  // namespace detail

/// Lays the entries of a filled matrix out by halves: those of a slice go to half_of(slice). Its
/// columns are full, and no slice has more than max_halved_width slots. memory_of(blocks) makes a
/// HalvedMemory. Values are moved first, then columns: meanwhile they exist twice.
template <int Height, class Executor, class HalfOf, class MemoryOf>
void halve(const Executor& executor, Sliced& matrix, const HalfOf& half_of,
           const MemoryOf& memory_of) {
  const std::int64_t slices = matrix.slices;
  const auto count = executor.template make<std::int32_t>(slices + 1);
  const auto before = executor.template make<std::int64_t>(slices + 1);
  matrix.slice = executor.template make<HalvedSlice>(slices);
  std::int64_t most = 0;
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::int64_t* const slot = matrix.slot.data();
    executor.each(slices, detail::CountHalf<HalfOf>{slot, half_of, half, count.data()});
    most = std::max(most, executor.exclusive_sum(count.data(), slices, before.data()));
    executor.each(
        slices, detail::PlaceHalf<HalfOf>{slot, half_of, half, before.data(), matrix.slice.data()});
  }
  expects(most <= std::numeric_limits<std::uint32_t>::max(), "slots of a stream can be numbered");
  matrix.base = {};
  matrix.halved_values =
      detail::move_to_halves<Height>(executor, matrix, matrix.value, most, half_of, memory_of);
  matrix.halved_columns =
      detail::move_to_halves<Height>(executor, matrix, matrix.column, most, half_of, memory_of);
  matrix.halved = true;
}

}  // namespace bankfull
