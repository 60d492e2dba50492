#pragma once

#include "bankfull/core/exec/halved_memory.hpp"
#include "bankfull/workloads/npb/cg/cuda/tiling.hpp"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

// Entries lie in the memory of the half of L2 whose multiprocessors read them. The slots of a half
// are numbered, and fill its blocks one after the other: values and columns each in a HalvedMemory.

/// Slots of a block of memory.
template <class Entry>
inline constexpr std::uint32_t block_slots = static_cast<std::uint32_t>(half_block_bytes) /
                                             (static_cast<std::uint32_t>(warp_threads) *
                                              static_cast<std::uint32_t>(sizeof(Entry)));

/// Where the slots of a slice are, in one word of 64 bits, so that no access to entries has to wait
/// for a bit of a HalvedView.
struct alignas(8) SlicePlace {
  std::uint32_t first_slot;  ///< of the half's
  /// The number of slots, and of each of their blocks whether it is the second of its pair.
  std::uint32_t word;

  [[nodiscard]] BANKFULL_HOST_DEVICE static constexpr int slots(std::uint32_t word) {
    return static_cast<int>(word & 0xffU);
  }

  /// The bit of `word` for block n of the half's values or columns.
  template <class Entry>
  [[nodiscard]] BANKFULL_HOST_DEVICE static constexpr std::uint32_t bit(std::uint32_t n) {
    return sizeof(Entry) == sizeof(double) ? 8 + n % value_blocks : 24 + n % column_blocks;
  }

  static constexpr std::uint32_t value_blocks = 16;
  static constexpr std::uint32_t column_blocks = 8;
};

/// Slots of a batch, which a thread loads together: enough to keep memory busy, few enough for the
/// registers. Slices are placed so that no batch crosses from one block to the next, for choosing
/// between two blocks at each load takes as many instructions as all the rest. What lies between
/// slices is never read: it takes room in memory, and no time.
inline constexpr std::uint32_t batch_slots = 8;

/// Likewise where rows are cut into many pieces, which have less.
inline constexpr std::uint32_t short_batch_slots = 6;

/// How slices lie in blocks if slots are loaded in batches of so many.
struct SlotLayout {
  std::uint32_t batch;

  /// Slots of a block that a slice uses if it goes on in the next one.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::uint32_t full() const {
    return block_slots<double> / batch * batch;
  }

  /// The first slot of a slice of `slots`, at or behind `free`.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::uint32_t place(std::uint32_t free,
                                                                   std::uint32_t slots) const {
    if (full() == block_slots<double>) {
      return (free + batch - 1) / batch * batch;
    }
    const bool fits = free % block_slots<double> + slots <= block_slots<double>;
    return fits ? free
                : (free + block_slots<double> - 1) / block_slots<double> * block_slots<double>;
  }

  /// Slot `n` of a slice of `slots` from `first` on.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::uint32_t slot(std::uint32_t first,
                                                                  std::uint32_t slots,
                                                                  std::uint32_t n) const {
    const std::uint32_t crossings =
        slots <= block_slots<double> ? 0 : (slots - block_slots<double> + full() - 1) / full();
    const std::uint32_t crossed = n / full() < crossings ? n / full() : crossings;
    return first + n + crossed * (block_slots<double> - full());
  }

  /// Of a slice whose blocks all have bits, wherever it begins.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::uint32_t max_slots() const {
    return (SlicePlace::value_blocks - 1) * full() + 1;
  }
};
static_assert(SlotLayout{batch_slots}.max_slots() < 256);
static_assert(SlicePlace::value_blocks * block_slots<double> <=
              (SlicePlace::column_blocks - 1) * block_slots<std::uint16_t>);

[[nodiscard]] BANKFULL_HOST_DEVICE constexpr SlotLayout slot_layout(const Tiling& tiling) {
  return {tiling.one_tile_per_block ? batch_slots : short_batch_slots};
}

/// The entries of a slot, one of each thread of a warp; `word` is that of a slice with slots in the
/// same block.
template <class Entry>
[[nodiscard]] BANKFULL_HOST_DEVICE constexpr Entry* entries_of(std::byte* memory,
                                                               std::uint32_t slot,
                                                               std::uint32_t word) {
  const std::uint32_t block = slot / block_slots<Entry>;
  const std::uint32_t is_second = word >> SlicePlace::bit<Entry>(block) & 1U;
  // Counted in both halves: as many slots lie before the block's pair as before the block.
  const std::uint32_t among_both = slot + (block + is_second) * block_slots<Entry>;
  return reinterpret_cast<Entry*>(memory) + std::int64_t{warp_threads} * among_both;
}

}  // namespace bankfull::npb::cg::cuda
