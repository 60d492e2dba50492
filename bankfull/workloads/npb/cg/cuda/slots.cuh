#pragma once

#include "bankfull/core/memory/halved_memory.hpp"
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

/// As many as have bits for all of their blocks, wherever the first is in its block.
inline constexpr int max_slice_slots = (SlicePlace::value_blocks - 1) * block_slots<double> + 1;
static_assert(max_slice_slots < 256);
static_assert(max_slice_slots <= (SlicePlace::column_blocks - 1) * block_slots<std::uint16_t> + 1);

/// The entries of a slot, one of each thread of a warp; `word` is that of a slice with slots in the
/// same block.
template <class Entry>
[[nodiscard]] BANKFULL_HOST_DEVICE constexpr Entry* entries_of(std::byte* memory,
                                                               std::uint32_t slot,
                                                               std::uint32_t word) {
  const std::uint32_t block = slot / block_slots<Entry>;
  const std::uint32_t among_both = 2 * block + (word >> SlicePlace::bit<Entry>(block) & 1U);
  return reinterpret_cast<Entry*>(memory + half_block_bytes * std::int64_t{among_both}) +
         slot % block_slots<Entry> * warp_threads;
}

/// A thread's entries in some slots, fewer than a block has: they lie in one block or in two.
template <class Entry>
struct EntryPointers {
  const Entry* here;  ///< its entry n slots on, as far as the block goes, is here[n * warp_threads]
  const Entry* behind;  ///< likewise for the slots in the next block

  __device__ __forceinline__ EntryPointers(std::byte* memory, std::uint32_t slot,
                                           std::uint32_t word)
      : here(entries_of<Entry>(memory, slot, word) + threadIdx.x % warp_threads),
        behind(entries_of<Entry>(memory, slot + block_slots<Entry>, word) -
               static_cast<int>(block_slots<Entry>) * warp_threads + threadIdx.x % warp_threads) {}
};

}  // namespace bankfull::npb::cg::cuda
