#pragma once

#include "bankfull/workloads/npb/cg/cuda/tiles.cuh"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

// An element of a panel takes two of shared memory's 32 banks, and half a warp reads 16 of them at
// once as long as no two are in one pair of banks, called a bank here. With columns in ascending
// order the banks are as good as random, and a slot takes three turns. But the order of a thread's
// entries in a slice is free, so that each slot can be given entries whose elements are in
// different banks.

/// Threads whose reads of shared memory are served together.
inline constexpr int bank_threads = 16;

/// The bank that holds an element of a panel, which begins on 128 bytes.
[[nodiscard]] BANKFULL_HOST_DEVICE constexpr unsigned bank_of(std::uint16_t column) {
  return column % static_cast<unsigned>(bank_threads);
}

/// Puts the entries of a slice in such an order. All functions are called by all threads of a warp;
/// each sees its own entries only.
class BankOrder {
 public:
  __device__ BankOrder(const TilesView& matrix, std::int64_t slice)
      : matrix_(matrix),
        place_(matrix.slices[slice]),
        slots_(SlicePlace::slots(place_.word)),
        lane_(static_cast<int>(threadIdx.x) % warp_threads) {}

  /// Slot by slot, the threads taking turns at which of them chooses first.
  __device__ void arrange() const {
    for (int slot = 0; slot < slots_; ++slot) {
      move_to(slot, choose(slot));
      share_neighbours_column(slot);
    }
  }

 private:
  static constexpr int padding = -1;  ///< in place of a bank

  [[nodiscard]] __device__ std::uint32_t number(int slot) const {
    return slot_layout(matrix_.tiling)
        .slot(place_.first_slot, static_cast<std::uint32_t>(slots_),
              static_cast<std::uint32_t>(slot));
  }
  [[nodiscard]] __device__ double& value(int slot) const {
    return entries_of<double>(matrix_.values, number(slot), place_.word)[lane_];
  }
  [[nodiscard]] __device__ std::uint16_t& column(int slot) const {
    return entries_of<std::uint16_t>(matrix_.columns, number(slot), place_.word)[lane_];
  }
  [[nodiscard]] __device__ int bank(int slot) const {
    return value(slot) == 0.0 ? padding : static_cast<int>(bank_of(column(slot)));
  }

  /// The bank for a slot, among those of the thread's entries from there on: one that no thread of
  /// its half warp has chosen for this slot if there is any, or else padding.
  [[nodiscard]] __device__ int choose(int slot) const {
    unsigned banks = 0;
    bool padded = false;
    for (int n = slot; n < slots_; ++n) {
      const int found = bank(n);
      padded |= found == padding;
      banks |= found == padding ? 0U : 1U << found;
    }
    int choice = padding;
    unsigned used = 0;
#pragma unroll 1
    for (int turn = 0; turn < bank_threads; ++turn) {
      const int chooser = (turn + slot) % bank_threads;
      if (lane_ % bank_threads == chooser) {
        const unsigned free = banks & ~used;
        if (free != 0 || !padded) {
          choice = __ffs(static_cast<int>(free != 0 ? free : banks)) - 1;
          used |= 1U << choice;
        }
      }
      used = __shfl_sync(~0U, used, chooser, bank_threads);
    }
    return choice;
  }

  /// Swaps the first entry in that bank with the slot's.
  __device__ void move_to(int slot, int wanted) const {
    int from = slot;
    while (bank(from) != wanted) {
      ++from;
    }
    const double moved_value = value(from);
    const std::uint16_t moved_column = column(from);
    value(from) = value(slot);
    column(from) = column(slot);
    value(slot) = moved_value;
    column(slot) = moved_column;
  }

  /// Padding reads the same element as some entry: that takes no turn.
  __device__ void share_neighbours_column(int slot) const {
    const bool padded = value(slot) == 0.0;
    const unsigned half = ((1U << bank_threads) - 1) << (lane_ / bank_threads * bank_threads);
    const unsigned entries = __ballot_sync(~0U, !padded) & half;
    const int neighbour = entries != 0 ? __ffs(static_cast<int>(entries)) - 1 : lane_;
    const unsigned of_neighbour = __shfl_sync(~0U, static_cast<unsigned>(column(slot)), neighbour);
    if (padded) {
      column(slot) = static_cast<std::uint16_t>(of_neighbour);
    }
  }

  const TilesView& matrix_;
  SlicePlace place_;
  int slots_;
  int lane_;
};

inline constexpr unsigned bank_order_threads = 128;

/// One warp per slice.
static __global__ void __launch_bounds__(bank_order_threads)
    order_by_banks_kernel(const __grid_constant__ TilesView matrix) {
  constexpr unsigned warps = bank_order_threads / warp_threads;
  const std::int64_t slice = std::int64_t{blockIdx.x} * warps + threadIdx.x / warp_threads;
  if (slice < matrix.tiling.slices()) {
    BankOrder(matrix, slice).arrange();
  }
}

}  // namespace bankfull::npb::cg::cuda
