#pragma once

#include "bankfull/core/exec/async_copy.cuh"
#include "bankfull/core/exec/bulk_copy.cuh"
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

/// The calling warp's slices of tiles, one after the other: every other time round the warps take
/// them in reverse, so that all get about as much work. What is known of a slice is read while the
/// one before is worked on, also where that is the last one of a tile. The tiles are one, or all of
/// a group from some panel on.
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
    tile_ = has_next() ? next_tile_ : 0;
    slot_ = next_begin_;
    left_ = static_cast<int>(next_end_ - next_begin_);
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
      next_begin_ = __ldg(matrix_.slice_starts + slice);
      next_end_ = __ldg(matrix_.slice_starts + slice + 1);
      next_row_ = __ldg(matrix_.row_order + std::int64_t{slice} * matrix_.tiling.slice_rows() +
                        lane / matrix_.tiling.row_lanes);
    }
  }

  const TilesView& matrix_;
  std::uint32_t group_slice_;  ///< the group's first one
  int next_tile_;
  int next_panel_;
  int number_;  ///< of the next slice within its tile
  std::uint32_t next_begin_ = 0;
  std::uint32_t next_end_ = 0;
  std::uint16_t next_row_ = TilesView::no_row;
  int tile_ = 0;
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
  template <class Slices>
  __device__ __forceinline__ void read(const TilesView& matrix, const Slices& slices,
                                       CachePolicy policy) {
    const double* const values = matrix.values + slices.entry();
    const std::uint16_t* const columns = matrix.columns + slices.entry();
    read_slots(values, columns, slices.left(), policy, std::make_integer_sequence<int, Slots>{});
  }

  /// sum + the entries times their x.
  template <class Vector>
  [[nodiscard]] __device__ __forceinline__ double add_to(double sum, const Vector& x) const {
    return add_first_to(sum, x, Slots);
  }

  /// Of the first `slots` slots only: x of the others, which are 0, is not looked up. That takes
  /// longer than to ask where slices have about as many slots as a batch or more.
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

/// Slots of a batch: enough to keep memory busy, few enough for the registers.
inline constexpr int batch_slots = 8;

/// Likewise where rows are cut into many pieces, which have less.
inline constexpr int short_batch_slots = 6;

/// sink.take(row in the group, sum of its piece, what sink.before(row) gave) for all rows of the
/// calling warp's slices, by one thread each, which is the same every time. `x` is the panel.
template <bool AllPanels, class Vector, class Sink>
class SliceSums {
 public:
  /// Asks for the first entries.
  __device__ __forceinline__ SliceSums(const TilesView& matrix, int group, int panel,
                                       int kept_warps, Vector x, Sink& sink)
      : matrix_(matrix),
        x_(x),
        sink_(sink),
        policy_(static_cast<int>(threadIdx.x) / warp_threads < kept_warps ? CachePolicy::keep()
                                                                          : CachePolicy::once()),
        slices_(matrix, group, panel) {
    ask();
    look_up_before();
  }

  /// Works through a tile, whose panel is there, and asks for the first entries of the next.
  /// Tiles are numbered down to 1.
  __device__ __forceinline__ void work_through(int tile) {
    double sum = 0.0;
#pragma unroll 1
    while (slices_.tile() == tile) {
      sum = add_batch_to(sum);
      slices_.pass(slots);
      const std::uint16_t row = slices_.row();
      const bool done = slices_.left() <= 0;
      if (done) {
        slices_.advance();
      }
      ask();
      if (!done) {
        continue;
      }
      for (int distance = matrix_.tiling.row_lanes / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(~0U, sum, distance);
      }
      if (takes(row)) {
        sink_.take(row, sum, before_);
      }
      sum = 0.0;
      look_up_before();
    }
  }

 private:
  static constexpr int slots = AllPanels ? short_batch_slots : batch_slots;

  __device__ __forceinline__ void ask() {
    if (slices_.tile() > 0) {
      batch_.read(matrix_, slices_, policy_);
    }
  }

  [[nodiscard]] __device__ __forceinline__ double add_batch_to(double sum) const {
    if constexpr (AllPanels) {
      return batch_.add_first_to(sum, x_, slices_.left());
    } else {
      return batch_.add_to(sum, x_);
    }
  }

  [[nodiscard]] __device__ __forceinline__ bool takes(std::uint16_t row) const {
    return row != TilesView::no_row &&
           static_cast<int>(threadIdx.x) % matrix_.tiling.row_lanes == 0;
  }

  __device__ __forceinline__ void look_up_before() {
    before_ = takes(slices_.row()) ? sink_.before(slices_.row()) : 0.0;
  }

  const TilesView& matrix_;
  Vector x_;
  Sink& sink_;
  CachePolicy policy_;
  WarpSlices<AllPanels> slices_;
  EntryBatch<slots> batch_;
  double before_ = 0.0;
};

/// The block's shared memory: a panel's part of the vector, and sums of rows behind it.
__device__ __forceinline__ double* product_room() {
  extern __shared__ __align__(128) unsigned char room[];
  return reinterpret_cast<double*>(room);
}

/// Elements of a panel.
__device__ __forceinline__ int panel_size(const Tiling& tiling, int panel) {
  const std::int64_t first = std::int64_t{panel} * tiling.panel_columns;
  return static_cast<int>(min(std::int64_t{tiling.panel_columns}, tiling.vector_size() - first));
}

/// Begins to bring the panel's part of a vector into shared memory. By all threads of the block,
/// none of which still reads what was there.
__device__ __forceinline__ void begin_panel(const Tiling& tiling, int panel, const double* vector,
                                            double* x) {
  const double* const from = vector + std::int64_t{panel} * tiling.panel_columns;
  const int size = panel_size(tiling, panel);
  for (int n = 2 * static_cast<int>(threadIdx.x); n < size; n += 2 * solver_threads) {
    begin_copy16(x + n, from + n);
  }
}

/// By all threads of the block: waits until the panel is there.
__device__ __forceinline__ void finish_panel() {
  finish_copies();
  __syncthreads();
}

/// Brings one panel after the other, with the copy engine where there is one: it takes no turns of
/// the threads, who ask for entries meanwhile. All functions are called by all threads of the
/// block.
class Panels {
 public:
  __device__ __forceinline__ Panels(const Tiling& tiling, const double* vector, double* x)
      : tiling_(tiling), vector_(vector), x_(x), arrival_{arrival_address()} {
    if constexpr (by_engine) {
      if (threadIdx.x == 0) {
        arrival_.initialise();
        publish_copy_barriers();
      }
    }
  }

  /// When none of them still reads the one before.
  __device__ __forceinline__ void begin(int panel) {
    __syncthreads();
    if constexpr (by_engine) {
      if (threadIdx.x == 0) {
        const auto bytes = static_cast<std::uint32_t>(panel_size(tiling_, panel)) *
                           static_cast<std::uint32_t>(sizeof(double));
        arrival_.expect(bytes);
        copy_bulk(shared_address(x_), vector_ + std::int64_t{panel} * tiling_.panel_columns, bytes,
                  arrival_);
      }
    } else {
      begin_panel(tiling_, panel, vector_, x_);
    }
  }

  __device__ __forceinline__ void finish() {
    if constexpr (by_engine) {
      arrival_.wait(parity_);
      parity_ ^= 1U;
    } else {
      finish_panel();
    }
  }

 private:
  static constexpr bool by_engine = compiled_capability >= bulk_copy_capability;

  __device__ __forceinline__ static std::uint32_t arrival_address() {
    __shared__ std::uint64_t barrier;
    return shared_address(&barrier);
  }

  const Tiling& tiling_;
  const double* vector_;
  double* x_;
  CopyBarrier arrival_;
  std::uint32_t parity_ = 0;
};

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

/// The block's tile by its panel of v; returns its terms of v.A v where A is square. By all threads
/// of the block, none of which may still read its shared memory.
template <bool Square>
__device__ __forceinline__ double multiply_tile(const ProductArguments& a, const double* v) {
  const Tiling& tiling = a.matrix.tiling;
  const int group = static_cast<int>(blockIdx.x) / tiling.panels;
  const int panel = static_cast<int>(blockIdx.x) % tiling.panels;
  const std::int64_t first_row = std::int64_t{group} * tiling.group_rows;
  const std::int64_t part_size = Square ? tiling.vector_size() : tiling.sums_size();
  PieceSink<Square> sink{v + first_row, a.parts + panel * part_size + first_row};
  begin_panel(tiling, panel, v, product_room());
  SliceSums<false, double*, PieceSink<Square>> sums(a.matrix, group, panel, a.kept_warps,
                                                    product_room(), sink);
  finish_panel();
  sums.work_through(1);
  return sink.term;
}

/// The panel that a block begins with where it goes through all: blocks begin at different ones, so
/// that some read the matrix while others load a panel.
__device__ __forceinline__ int first_panel(const Tiling& tiling) {
  return static_cast<int>(blockIdx.x * static_cast<unsigned>(tiling.panels) / gridDim.x);
}

/// Whole rows of one group.
__device__ __forceinline__ void multiply_group(const ProductArguments& a, int group,
                                               Panels& panels) {
  const Tiling& tiling = a.matrix.tiling;
  double* const x = product_room();
  RowSink sink{x + tiling.panel_columns};
  const std::int64_t first_row = std::int64_t{group} * tiling.group_rows;
  const auto rows = static_cast<int>(min(std::int64_t{tiling.group_rows}, tiling.rows - first_row));
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += solver_threads) {
    sink.sums[row] = 0.0;
  }
  int panel = first_panel(tiling);
  SliceSums<true, double*, RowSink> sums(a.matrix, group, panel, a.kept_warps, x, sink);
  for (int tile = tiling.panels; tile > 0; --tile) {
    panels.begin(panel);
    panels.finish();
    sums.work_through(tile);
    panel = panel + 1 == tiling.panels ? 0 : panel + 1;
  }
  __syncthreads();
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += solver_threads) {
    a.parts[first_row + row] = sink.sums[row];
  }
}

/// A v, whole rows by each block.
__device__ __forceinline__ void multiply_groups(const ProductArguments& a, const double* v) {
  Panels panels(a.matrix.tiling, v, product_room());
  for (auto group = static_cast<int>(blockIdx.x); group < a.matrix.tiling.groups;
       group += static_cast<int>(gridDim.x)) {
    multiply_group(a, group, panels);
  }
}

}  // namespace bankfull::npb::cg::cuda
