#pragma once

#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/workloads/npb/cg/cuda/tiles.cuh"

#include <cstdint>
#include <utility>

namespace bankfull::npb::cg::cuda {

/// The calling warp's slices of tiles, one after the other: every second round assigns them to
/// warps in reverse, which balances the work. The place of a slice is loaded during the previous
/// one, also across tiles. The tiles are one, or all of a group from some panel on.
template <bool AllPanels>
class WarpSlices {
 public:
  __device__ __forceinline__ WarpSlices(const TilesView& matrix, int group, int panel)
      : matrix_(matrix),
        group_slice_(static_cast<std::uint32_t>(group * matrix.tiling.panels) *
                     static_cast<std::uint32_t>(matrix.tile_slices)),
        tile_slice_(group_slice_ + static_cast<std::uint32_t>(panel * matrix.tile_slices)),
        walked_tile_(AllPanels ? matrix.tiling.panels : 1) {
    begin_tile();
    read(next_);
    advance();
  }

  /// Number of the present slice's tile, counting down to 1; 0 where there is no slice.
  [[nodiscard]] __device__ __forceinline__ int tile() const { return tile_; }

  /// This thread's row in it.
  [[nodiscard]] __device__ __forceinline__ std::uint16_t row() const { return row_; }

  /// Its remaining slots.
  [[nodiscard]] __device__ __forceinline__ int left() const { return left_; }

  /// The next of them, numbered as in SlicePlace.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t slot() const { return slot_; }

  /// What `entries_of` asks for.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t word() const { return word_; }

  /// Beyond the next batch of slots, by SlotLayout.
  template <int Batch>
  __device__ __forceinline__ void pass() {
    slot_ += static_cast<std::uint32_t>(Batch);
    left_ -= Batch;
    if constexpr (block_slots<double> % Batch != 0) {
      const std::uint32_t used = slot_ % block_slots<double>;
      if (left_ > 0 &&
          static_cast<int>(used) + min(left_, Batch) > static_cast<int>(block_slots<double>)) {
        slot_ += block_slots<double> - used;
      }
    }
  }

  /// To the next slice.
  __device__ __forceinline__ void advance() {
    tile_ = next_.tile;
    slot_ = next_.slot;
    word_ = next_.word;
    left_ = SlicePlace::slots(next_.word);
    row_ = next_.row;
    read(next_);
  }

 private:
  /// What a slice has in memory.
  struct Slice {
    int tile = 0;  ///< 0: there is no slice
    std::uint32_t slot = 0;
    std::uint32_t word = 0;
    std::uint16_t row = TilesView::no_row;
  };

  /// The numbers of the warp's slices in a tile are its own, w, then 63 - w, 64 + w, 127 - w...
  __device__ __forceinline__ void begin_tile() {
    number_ = static_cast<int>(threadIdx.x / static_cast<unsigned>(warp_threads));
    step_ = 2 * (solver_warps - number_) - 1;
  }

  __device__ __forceinline__ void next_panel() {
    const auto slices = static_cast<std::uint32_t>(matrix_.tile_slices);
    tile_slice_ += slices;
    if (tile_slice_ == group_slice_ + static_cast<std::uint32_t>(matrix_.tiling.panels) * slices) {
      tile_slice_ = group_slice_;
    }
  }

  /// Reads the slice whose turn it is and goes on to the one behind it.
  __device__ __forceinline__ void read(Slice& to) {
    const bool any = number_ < matrix_.tile_slices;
    to.tile = any ? walked_tile_ : 0;
    if (any) {
      const std::uint32_t slice = tile_slice_ + static_cast<std::uint32_t>(number_);
      const unsigned lane = threadIdx.x % static_cast<unsigned>(warp_threads);
      const uint2 place = __ldg(reinterpret_cast<const uint2*>(matrix_.slices + slice));
      to.slot = place.x;
      to.word = place.y;
      to.row = __ldg(matrix_.row_order +
                     (std::uint64_t{slice} * static_cast<unsigned>(warp_threads) + lane >>
                      matrix_.row_lanes_log));
    }
    number_ += step_;
    step_ = 2 * solver_warps - step_;
    if constexpr (AllPanels) {
      if (number_ >= matrix_.tile_slices && walked_tile_ > 1) {
        --walked_tile_;
        next_panel();
        begin_tile();
      }
    }
  }

  const TilesView& matrix_;
  std::uint32_t group_slice_;  ///< the group's first one
  // Of the slice to be read.
  std::uint32_t tile_slice_;  ///< the first one of its tile
  int walked_tile_;
  int number_ = 0;  ///< within its tile
  int step_ = 0;    ///< to the one behind it
  Slice next_;
  int tile_ = 0;
  std::uint32_t slot_ = 0;
  std::uint32_t word_ = 0;
  int left_ = 0;
  std::uint16_t row_ = TilesView::no_row;
};

/// A batch of entries of this thread that are loaded together.
template <int Slots>
class EntryBatch {
 public:
  /// Loads those of the next slots of a slice, or of the rest of it: the time depends on the number
  /// of batches, not of entries.
  template <class Slices>
  __device__ __forceinline__ void read(const TilesView& matrix, const Slices& slices,
                                       CachePolicy policy) {
    const unsigned lane = threadIdx.x % static_cast<unsigned>(warp_threads);
    const std::uint32_t slot = slices.slot();
    const std::uint32_t word = slices.word();
    read_slots(entries_of<double>(matrix.values, slot, word) + lane,
               entries_of<std::uint16_t>(matrix.columns, slot, word) + lane, slices.left(), policy,
               std::make_integer_sequence<int, Slots>{});
  }

  /// sum + the entries times their x.
  template <class Vector>
  [[nodiscard]] __device__ __forceinline__ double add_to(double sum, const Vector& x) const {
    return add_first_to(sum, x, Slots);
  }

  /// The same for the first `slots` slots only: x of the others, whose entries are 0, is not
  /// loaded. This is slower if slices have about as many slots as a batch, or more.
  template <class Vector>
  [[nodiscard]] __device__ __forceinline__ double add_first_to(double sum, const Vector& x,
                                                               int slots) const {
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      if (n < slots) {
        sum = fma(value_[n], x[column_[n]], sum);
      }
    }
    return sum;
  }

 private:
  template <int... N>
  __device__ __forceinline__ void read_slots(const double* values, const std::uint16_t* columns,
                                             int left, CachePolicy policy,
                                             std::integer_sequence<int, N...> /*slots*/) {
    ((value_[N] = 0.0), ...);
    (load_by<N * warp_threads>(policy, N < left, column_[N], columns), ...);
    (load_by<N * warp_threads>(policy, N < left, value_[N], values), ...);
  }

  double value_[static_cast<std::size_t>(Slots)];
  std::uint16_t column_[static_cast<std::size_t>(Slots)] = {};  // some valid column at any time
};

}  // namespace bankfull::npb::cg::cuda
