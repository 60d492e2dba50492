#pragma once

#include "bankfull/core/exec/async_copy.cuh"
#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/workloads/npb/cg/cuda/tiles.cuh"

#include <cstdint>
#include <utility>

namespace bankfull::npb::cg::cuda {

/// What products want to know.
struct ProductArguments {
  TilesView matrix;
  int kept_warps;  ///< of each block, whose slices are to stay in L2 from product to product
  double* parts;   ///< `product_parts` vectors of sums, whose sum is the product
};

/// The calling warp's slices of a tile, one after the other: every other time round the warps take
/// them in reverse, so that all get about as much work. What is known of a slice is read while the
/// one before is worked on.
class WarpSlices {
 public:
  __device__ __forceinline__ WarpSlices(const TilesView& matrix, std::int64_t tile)
      : matrix_(matrix),
        first_slice_(static_cast<std::uint32_t>(tile) *
                     static_cast<std::uint32_t>(matrix.tiling.tile_slices())),
        number_(static_cast<int>(threadIdx.x) / warp_threads) {
    read_next();
    advance();
  }

  /// Whether there is a slice.
  [[nodiscard]] __device__ __forceinline__ bool any() const { return any_; }

  /// This thread's row in it.
  [[nodiscard]] __device__ __forceinline__ std::uint16_t row() const { return row_; }

  /// Slots of it that have not been passed.
  [[nodiscard]] __device__ __forceinline__ int left() const { return left_; }

  /// This thread's entry in the next slot.
  [[nodiscard]] __device__ __forceinline__ std::int64_t entry() const {
    return std::int64_t{slot_} * warp_threads + threadIdx.x % warp_threads;
  }

  __device__ __forceinline__ void pass(int slots) {
    slot_ += static_cast<std::uint32_t>(slots);
    left_ -= slots;
  }

  /// To the next slice.
  __device__ __forceinline__ void advance() {
    any_ = number_ < matrix_.tiling.tile_slices();
    slot_ = next_begin_;
    left_ = static_cast<int>(next_end_ - next_begin_);
    row_ = next_row_;
    constexpr int warps = solver_threads / warp_threads;
    number_ += 2 * (warps - number_ % warps) - 1;
    read_next();
  }

 private:
  __device__ __forceinline__ void read_next() {
    if (number_ < matrix_.tiling.tile_slices()) {
      const std::uint32_t slice = first_slice_ + static_cast<std::uint32_t>(number_);
      const int lane = static_cast<int>(threadIdx.x) % warp_threads;
      next_begin_ = __ldg(matrix_.slice_starts + slice);
      next_end_ = __ldg(matrix_.slice_starts + slice + 1);
      next_row_ = __ldg(matrix_.row_order + std::int64_t{slice} * matrix_.tiling.slice_rows() +
                        lane / matrix_.tiling.row_lanes);
    }
  }

  const TilesView& matrix_;
  std::uint32_t first_slice_;
  int number_;  ///< of the next slice within the tile
  std::uint32_t next_begin_ = 0;
  std::uint32_t next_end_ = 0;
  std::uint16_t next_row_ = TilesView::no_row;
  bool any_ = false;
  std::uint32_t slot_ = 0;
  int left_ = 0;
  std::uint16_t row_ = TilesView::no_row;
};

/// Entries of this thread that are under way together.
template <int Slots>
class EntryBatch {
 public:
  /// Asks for those of the next slots of a slice, or of what is left of it: rounds take time, not
  /// entries.
  __device__ __forceinline__ void read(const TilesView& matrix, const WarpSlices& slices,
                                       CachePolicy policy) {
    const double* const values = matrix.values + slices.entry();
    const std::uint16_t* const columns = matrix.columns + slices.entry();
    read_slots(values, columns, slices.left(), policy, std::make_integer_sequence<int, Slots>{});
  }

  /// sum + the entries times their x.
  template <class Vector>
  [[nodiscard]] __device__ __forceinline__ double add_to(double sum, const Vector& x) const {
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      sum = fma(value_[n], x[column_[n]], sum);
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

/// Slots of a batch: enough to keep memory busy, few enough for the registers.
inline constexpr int batch_slots = 8;

/// Begins to bring the panel's part of a vector into shared memory. By all threads of the block,
/// none of which still reads what was there.
__device__ __forceinline__ void begin_panel(const Tiling& tiling, int panel, const double* vector,
                                            double* x) {
  const std::int64_t first = std::int64_t{panel} * tiling.panel_columns;
  const auto size =
      static_cast<int>(min(std::int64_t{tiling.panel_columns}, tiling.vector_size() - first));
  for (int n = 2 * static_cast<int>(threadIdx.x); n < size; n += 2 * solver_threads) {
    begin_copy16(x + n, vector + first + n);
  }
}

/// By all threads of the block: waits until the panel is there.
__device__ __forceinline__ void finish_panel() {
  finish_copies();
  __syncthreads();
}

/// sink.take(row in the group, sum of its piece, what sink.before(row) gave) for all rows of a
/// tile, by one thread each, which is the same every time. x is the panel that has been begun.
template <int Slots = batch_slots, class Vector, class Sink>
__device__ __forceinline__ void multiply_tile(const TilesView& matrix, std::int64_t tile,
                                              int kept_warps, const Vector& x, Sink& sink) {
  const bool kept = static_cast<int>(threadIdx.x) / warp_threads < kept_warps;
  const CachePolicy policy = kept ? CachePolicy::keep() : CachePolicy::once();
  const int row_lanes = matrix.tiling.row_lanes;
  const auto takes = [&](std::uint16_t row) {
    return row != TilesView::no_row && static_cast<int>(threadIdx.x) % row_lanes == 0;
  };
  WarpSlices slices(matrix, tile);
  EntryBatch<Slots> batch;
  double before = 0.0;
  if (slices.any()) {
    batch.read(matrix, slices, policy);
    before = takes(slices.row()) ? sink.before(slices.row()) : 0.0;
  }
  finish_panel();
  double sum = 0.0;
#pragma unroll 1
  while (slices.any()) {
    sum = batch.add_to(sum, x);
    slices.pass(Slots);
    const std::uint16_t row = slices.row();
    const bool done = slices.left() <= 0;
    if (done) {
      slices.advance();
    }
    if (slices.any()) {
      batch.read(matrix, slices, policy);
    }
    if (!done) {
      continue;
    }
    for (int distance = row_lanes / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(~0U, sum, distance);
    }
    if (takes(row)) {
      sink.take(row, sum, before);
    }
    sum = 0.0;
    before = takes(slices.row()) ? sink.before(slices.row()) : 0.0;
  }
}

/// The block's shared memory: a panel's part of the vector, and sums of rows behind it.
__device__ __forceinline__ double* product_room() {
  extern __shared__ __align__(128) unsigned char room[];
  return reinterpret_cast<double*>(room);
}

/// Leaves sums of pieces in memory and, of a square matrix, multiplies them with the vector.
template <bool Square>
struct PieceSink {
  const double* v;  ///< of the group's first row
  double* sums;     ///< likewise
  double term = 0.0;

  [[nodiscard]] __device__ __forceinline__ double before(int row) const {
    return Square ? v[row] : 0.0;
  }
  __device__ __forceinline__ void take(int row, double sum, double v_of_row) {
    sums[row] = sum;
    if constexpr (Square) {
      term = fma(v_of_row, sum, term);
    }
  }
};

/// Adds sums of pieces to those of rows.
struct RowSink {
  double* sums;  ///< in shared memory

  [[nodiscard]] __device__ __forceinline__ double before(int /*row*/) const { return 0.0; }
  __device__ __forceinline__ void take(int row, double sum, double /*before*/) { sums[row] += sum; }
};

/// The panel that a block begins with where it goes through all: blocks begin at different ones, so
/// that some read the matrix while others load a panel.
__device__ __forceinline__ int first_panel(const Tiling& tiling) {
  return static_cast<int>(blockIdx.x * static_cast<unsigned>(tiling.panels) / gridDim.x);
}

/// Whole rows of one group.
template <bool Square>
__device__ __forceinline__ double multiply_group(const ProductArguments& a, int group,
                                                 const double* v) {
  const Tiling& tiling = a.matrix.tiling;
  double* const x = product_room();
  RowSink sink{x + tiling.panel_columns};
  const std::int64_t first_row = std::int64_t{group} * tiling.group_rows;
  const auto rows = static_cast<int>(min(std::int64_t{tiling.group_rows}, tiling.rows - first_row));
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += solver_threads) {
    sink.sums[row] = 0.0;
  }
  int panel = first_panel(tiling);
  for (int n = 0; n < tiling.panels; ++n) {
    begin_panel(tiling, panel, v, x);
    multiply_tile(a.matrix, tiling.tile(group, panel), a.kept_warps, x, sink);
    __syncthreads();
    panel = panel + 1 == tiling.panels ? 0 : panel + 1;
  }
  double term = 0.0;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += solver_threads) {
    a.parts[first_row + row] = sink.sums[row];
    if constexpr (Square) {
      term = fma(v[first_row + row], sink.sums[row], term);
    }
  }
  return term;
}

/// The block's part of A v; returns its terms of v.A v where A is square. By all threads of the
/// grid; none may still read the block's shared memory.
template <bool OneTileABlock, bool Square = true>
__device__ __forceinline__ double multiply(const ProductArguments& a, const double* v) {
  const Tiling& tiling = a.matrix.tiling;
  if constexpr (OneTileABlock) {
    const auto tile = static_cast<int>(blockIdx.x);
    const int panel = tile % tiling.panels;
    const std::int64_t first_row = std::int64_t{tile / tiling.panels} * tiling.group_rows;
    const std::int64_t part_size = Square ? tiling.vector_size() : tiling.sums_size();
    PieceSink<Square> sink{v + first_row, a.parts + panel * part_size + first_row};
    begin_panel(tiling, panel, v, product_room());
    multiply_tile(a.matrix, tile, a.kept_warps, product_room(), sink);
    return sink.term;
  } else {
    double term = 0.0;
    for (auto group = static_cast<int>(blockIdx.x); group < tiling.groups;
         group += static_cast<int>(gridDim.x)) {
      term += multiply_group<Square>(a, group, v);
      __syncthreads();
    }
    return term;
  }
}

}  // namespace bankfull::npb::cg::cuda
