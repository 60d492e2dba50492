#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/memory/halved_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull {

// Entries of a sliced matrix by the half of L2 that owns them (core/memory/halved_memory.hpp). Each
// half has a stream of values and one of columns, both in the order of slots; a slice's slots are
// in the streams of one half. Blocks of memory are whole numbers of slots, so that no slot lies in
// two of them.

/// Where the slots of a slice lie, in the streams of its half.
struct alignas(16) HalvedSlice {
  std::uint32_t first = 0;  ///< slot of the streams
  std::uint32_t last = 0;   ///< behind the last one
  /// Bit n tells of the stream's block n after that of the first slot whether it is the second of
  /// its pair.
  std::uint32_t second_of_values = 0;
  std::uint32_t second_of_columns = 0;
};

/// Slots of `Height` elements of this type in a block of memory that one half owns.
template <int Height, class T>
inline constexpr std::uint32_t slots_in_block =
    static_cast<std::uint32_t>(half_block_bytes / (Height * static_cast<std::int64_t>(sizeof(T))));

/// Slots that the bits of a HalvedSlice suffice for, wherever in its block the first one lies.
template <int Height>
inline constexpr std::int64_t max_halved_width =
    31 * std::int64_t{slots_in_block<Height, double>} + 1;

/// The entries, in place of values and columns of a SlicedView.
struct HalvedEntries {
  const HalvedSlice* slice = nullptr;
  std::byte* values = nullptr;   ///< block n of the stream of a half lies in pair n from here on
  std::byte* columns = nullptr;  ///< alike

  /// Whether a block, counted from the slice's first one, is the second of its pair.
  [[nodiscard]] BANKFULL_HOST_DEVICE static std::uint32_t bit_of(std::uint32_t second,
                                                                 std::uint32_t block) {
    return second >> block % 32 & 1U;
  }

  /// Where a slot of a slice lies, in `values` for doubles and in `columns` for 32-bit columns.
  template <int Height, class T>
  [[nodiscard]] BANKFULL_HOST_DEVICE static T* place(std::byte* stream, std::uint32_t second,
                                                     std::uint32_t first, std::uint32_t slot) {
    constexpr std::uint32_t slots = slots_in_block<Height, T>;
    const std::uint32_t block = slot / slots;
    const std::uint32_t is_second = bit_of(second, block - first / slots);
    return reinterpret_cast<T*>(stream + 2 * half_block_bytes * std::int64_t{block} +
                                half_block_bytes * std::int64_t{is_second}) +
           slot % slots * Height;
  }
  template <int Height>
  [[nodiscard]] BANKFULL_HOST_DEVICE double* value(const HalvedSlice& at,
                                                   std::uint32_t slot) const {
    return place<Height, double>(values, at.second_of_values, at.first, slot);
  }
  template <int Height>
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int32_t* column(const HalvedSlice& at,
                                                          std::uint32_t slot) const {
    return place<Height, std::int32_t>(columns, at.second_of_columns, at.first, slot);
  }
};

}  // namespace bankfull
