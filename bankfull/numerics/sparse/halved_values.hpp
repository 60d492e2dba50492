#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/halved_memory.hpp"

#include <cstdint>

namespace bankfull {

// Values of a sliced matrix by halves of L2: each slice is of a half, and the slots of a half's
// slices fill the blocks that it owns one after the other. Slots are whole parts of blocks.

/// Where the values of a slice lie.
struct alignas(8) ValuePlace {
  std::uint32_t first = 0;  ///< slot among those of the half
  /// Bit n % 32 tells of the half's block n whether it is the second of its pair: of the 32 blocks
  /// from that of the first slot on.
  std::uint32_t second = 0;
};

/// How columns are kept where values lie by halves.
template <class Columns>
struct Halved : Columns {
  const ValuePlace* place = nullptr;  ///< of each slice
};

/// Whether values of slices with such columns lie by halves.
template <class Columns>
inline constexpr bool is_halved = false;
/// They do.
template <class Columns>
inline constexpr bool is_halved<Halved<Columns>> = true;

/// Slots of `Height` values in a block.
template <int Height>
inline constexpr auto value_block_slots = static_cast<std::uint32_t>(half_block_bytes) /
                                          static_cast<std::uint32_t>(Height * sizeof(double));

/// 1 where a half's block is the second of its pair, by the bits of a ValuePlace; else 0.
[[nodiscard]] BANKFULL_HOST_DEVICE inline std::uint32_t is_second(std::uint32_t second,
                                                                  std::uint32_t block) {
  return second >> block % 32 & 1U;
}

/// The place in memory, counted in slots, of a half's slot.
template <int Height>
[[nodiscard]] BANKFULL_HOST_DEVICE std::uint32_t stored_slot(std::uint32_t second,
                                                             std::uint32_t slot) {
  const std::uint32_t block = slot / value_block_slots<Height>;
  return slot + (block + is_second(second, block)) * value_block_slots<Height>;
}

/// The place in memory, counted in slots, of slot n of a slice. Without a `place` values lie slot
/// by slot. By halves the slots of a slice of more than 31 blocks may share places, all of which
/// are memory of the matrix. `slot` and `place` are of each slice.
template <int Height>
[[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t value_slot(const std::int64_t* slot,
                                                           const ValuePlace* place,
                                                           std::int64_t slice, std::int64_t n) {
  if (place == nullptr) {
    return slot[slice] + n;
  }
  const ValuePlace here = place[slice];
  return stored_slot<Height>(here.second, here.first + static_cast<std::uint32_t>(n));
}

}  // namespace bankfull
