#pragma once

#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/workloads/npb/cg/cuda/tiles.cuh"

#include <cstdint>
#include <utility>

namespace bankfull::npb::cg::cuda {

/// The calling warp's slices of tiles, one after the other: every second round assigns them to
/// warps in reverse, which balances the work. The description of a slice is loaded during the
/// previous one, also across tiles. The tiles are one, or all of a group from some panel on.
template <bool AllPanels>
class WarpSlices {
 public:
  __device__ __forceinline__ WarpSlices(const TilesView& matrix, int group, int panel)
      : matrix_(matrix),
        group_slice_(static_cast<std::uint32_t>(group) *
                     static_cast<std::uint32_t>(matrix.tiling.panels) *
                     static_cast<std::uint32_t>(matrix.tiling.tile_slices())),
        next_tile_(first_tile()),
        next_panel_(panel),
        number_(first_number()) {
    read_next();
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

  __device__ __forceinline__ void pass(int slots) {
    slot_ += static_cast<std::uint32_t>(slots);
    left_ -= slots;
  }

  /// To the next slice.
  __device__ __forceinline__ void advance() {
    tile_ = has_next() ? next_tile_ : 0;
    slot_ = next_slot_;
    word_ = next_word_;
    left_ = SlicePlace::slots(next_word_);
    row_ = next_row_;
    constexpr int warps = solver_threads / warp_threads;
    number_ += 2 * (warps - number_ % warps) - 1;
    if constexpr (AllPanels) {
      if (!has_next() && next_tile_ > 1) {
        --next_tile_;
        next_panel_ = next_panel_ + 1 == matrix_.tiling.panels ? 0 : next_panel_ + 1;
        number_ = first_number();
      }
    }
    read_next();
  }

 private:
  [[nodiscard]] __device__ __forceinline__ static int first_number() {
    return static_cast<int>(threadIdx.x) / warp_threads;
  }

  [[nodiscard]] __device__ __forceinline__ int first_tile() const {
    return AllPanels ? matrix_.tiling.panels : 1;
  }

  [[nodiscard]] __device__ __forceinline__ bool has_next() const {
    return number_ < matrix_.tiling.tile_slices();
  }

  __device__ __forceinline__ void read_next() {
    if (has_next()) {
      const std::uint32_t slice =
          group_slice_ +
          static_cast<std::uint32_t>(next_panel_ * matrix_.tiling.tile_slices() + number_);
      const int lane = static_cast<int>(threadIdx.x) % warp_threads;
      const uint2 place = __ldg(reinterpret_cast<const uint2*>(matrix_.slices + slice));
      next_slot_ = place.x;
      next_word_ = place.y;
      next_row_ = __ldg(matrix_.row_order + std::int64_t{slice} * matrix_.tiling.slice_rows() +
                        lane / matrix_.tiling.row_lanes);
    }
  }

  const TilesView& matrix_;
  std::uint32_t group_slice_;  ///< the group's first one
  int next_tile_;
  int next_panel_;
  int number_;  ///< of the next slice within its tile
  std::uint32_t next_slot_ = 0;
  std::uint32_t next_word_ = 0;
  std::uint16_t next_row_ = TilesView::no_row;
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
    const std::uint32_t slot = slices.slot();
    EntryPointers<std::uint16_t> columns(matrix.columns, slot, slices.word());
    const EntryPointers<double> values(matrix.values, slot, slices.word());
    // Where slots cross to another block of columns they cross to one of values too.
    if (slot % block_slots<std::uint16_t> <= block_slots<std::uint16_t> - Slots) {
      columns.behind = columns.here;
    }
    const auto room = static_cast<int>(block_slots<double> - slot % block_slots<double>);
    read_slots(values, columns, room, slices.left(), policy,
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
  __device__ __forceinline__ void read_slots(const EntryPointers<double>& values,
                                             const EntryPointers<std::uint16_t>& columns, int room,
                                             int left, CachePolicy policy,
                                             std::integer_sequence<int, N...> /*slots*/) {
    ((value_[N] = 0.0), ...);
    (load_by<N * warp_threads>(policy, N < left, column_[N],
                               N < room ? columns.here : columns.behind),
     ...);
    (load_by<N * warp_threads>(policy, N < left, value_[N], N < room ? values.here : values.behind),
     ...);
  }

  double value_[static_cast<std::size_t>(Slots)];
  std::uint16_t column_[static_cast<std::size_t>(Slots)] = {};  // some valid column at any time
};

}  // namespace bankfull::npb::cg::cuda
