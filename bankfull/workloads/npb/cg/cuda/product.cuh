#pragma once

#include "bankfull/core/exec/async_copy.cuh"
#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/workloads/npb/cg/cuda/tiles.cuh"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// Slots whose entries a thread asks for together; a power of two.
inline constexpr int batch_slots = 8;

/// This thread's entries of a slice.
struct ThreadEntries {
  const double* values;
  const std::uint16_t* columns;
  CachePolicy policy;

  /// sum + the entries of the next slots times their x.
  template <int Slots, class Vector>
  __device__ __forceinline__ double add_next(const Vector& x, double sum) {
    double value[static_cast<std::size_t>(Slots)];
    std::uint16_t column[static_cast<std::size_t>(Slots)];
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      column[n] = load_by(policy, columns + n * warp_threads);
      value[n] = load_by(policy, values + n * warp_threads);
    }
    // Else the compiler would put uses of the first entries before the reads of the last.
    __syncwarp();
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      sum = fma(value[n], x[column[n]], sum);
    }
    values += Slots * warp_threads;
    columns += Slots * warp_threads;
    return sum;
  }

  /// The same of `left` slots, fewer than 2 Slots.
  template <int Slots, class Vector>
  __device__ __forceinline__ double add_last(int left, const Vector& x, double sum) {
    if ((left & Slots) != 0) {
      sum = add_next<Slots>(x, sum);
    }
    if constexpr (Slots > 1) {
      sum = add_last<Slots / 2>(left, x, sum);
    }
    return sum;
  }
};

/// This thread's part of slots [slot, last) times x, the panel's part of the vector.
template <int Batch, class Vector>
__device__ __forceinline__ double slots_times(const TilesView& matrix, std::int64_t slot,
                                              std::int64_t last, CachePolicy policy,
                                              const Vector& x) {
  const std::int64_t entry = slot * warp_threads + threadIdx.x % warp_threads;
  ThreadEntries entries{matrix.values + entry, matrix.columns + entry, policy};
  double sum = 0.0;
  auto left = static_cast<int>(last - slot);
#pragma unroll 1
  for (; left >= Batch; left -= Batch) {
    sum = entries.add_next<Batch>(x, sum);
  }
  return entries.add_last<Batch / 2>(left, x, sum);
}

/// The calling warp's slices of a tile: every other time round the warps take them in reverse, so
/// that all get about as much work.
class WarpSlices {
 public:
  __device__ __forceinline__ explicit WarpSlices(int count)
      : count_(count), slice_(static_cast<int>(threadIdx.x) / warp_threads) {}

  [[nodiscard]] __device__ __forceinline__ bool any() const { return slice_ < count_; }
  [[nodiscard]] __device__ __forceinline__ int slice() const { return slice_; }

  __device__ __forceinline__ void next() {
    constexpr int warps = solver_threads / warp_threads;
    const int warp = slice_ % warps;
    slice_ += warps - warp + (warps - 1 - warp);
  }

 private:
  int count_;
  int slice_;
};

/// Brings the panel's part of a vector into shared memory. By all threads of the block, none of
/// which still reads what was there.
__device__ __forceinline__ void load_panel(const Tiling& tiling, int panel, const double* vector,
                                           double* x) {
  const std::int64_t first = std::int64_t{panel} * tiling.panel_columns;
  const auto size =
      static_cast<int>(min(std::int64_t{tiling.panel_columns}, tiling.vector_size() - first));
  for (int n = 2 * static_cast<int>(threadIdx.x); n < size; n += 2 * solver_threads) {
    begin_copy16(x + n, vector + first + n);
  }
  finish_copies();
  __syncthreads();
}

/// take(row in the group, sum of its piece) for all rows of a tile, by one thread each, which is
/// the same every time. Slices before `kept` are to stay in L2 for the next product.
template <int Batch = batch_slots, class Vector, class Take>
__device__ __forceinline__ void multiply_tile(const TilesView& matrix, std::int64_t tile, int kept,
                                              const Vector& x, const Take& take) {
  const Tiling& tiling = matrix.tiling;
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  const std::int64_t* const starts = matrix.slice_starts + tile * tiling.tile_slices();
  const std::uint16_t* const rows = matrix.row_order + tile * tiling.tile_rows();
  const CachePolicy keep = CachePolicy::keep();
  const CachePolicy once = CachePolicy::once();
#pragma unroll 1
  for (WarpSlices slices(tiling.tile_slices()); slices.any(); slices.next()) {
    const int slice = slices.slice();
    const std::int64_t slot = __ldg(starts + slice);
    const std::int64_t last = __ldg(starts + slice + 1);
    const std::uint16_t row = __ldg(rows + slice * tiling.slice_rows() + lane / tiling.row_lanes);
    double sum = slots_times<Batch>(matrix, slot, last, slice < kept ? keep : once, x);
    for (int distance = tiling.row_lanes / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(~0U, sum, distance);
    }
    if (row != TilesView::no_row && lane % tiling.row_lanes == 0) {
      take(static_cast<int>(row), sum);
    }
  }
}

/// Brings the first slots of the warp's first slice of a tile as far as L2, for the next product,
/// while memory is idle.
__device__ __forceinline__ void prefetch_tile(const TilesView& matrix, std::int64_t tile,
                                              int slots) {
  constexpr int line_bytes = 128;
  constexpr int line_values = line_bytes / 8;
  constexpr int line_columns = line_bytes / 2;
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  const WarpSlices slices(matrix.tiling.tile_slices());
  if (!slices.any()) {
    return;
  }
  const std::int64_t* const start =
      matrix.slice_starts + tile * matrix.tiling.tile_slices() + slices.slice();
  const std::int64_t begin = __ldg(start) * warp_threads;
  const auto entries = static_cast<int>(
      min(__ldg(start + 1) * warp_threads - begin, std::int64_t{slots} * warp_threads));
  for (int n = lane * line_values; n < entries; n += warp_threads * line_values) {
    prefetch_line(matrix.values + begin + n);
  }
  for (int n = lane * line_columns; n < entries; n += warp_threads * line_columns) {
    prefetch_line(matrix.columns + begin + n);
  }
}

/// What products want to know.
struct ProductArguments {
  TilesView matrix;
  int kept_slices;     ///< of each tile, which are to stay in L2 from product to product
  int prefetch_slots;  ///< of each warp, while memory is idle between products
  double* parts;       ///< `product_parts` vectors, whose sum is the product
};

/// The block's shared memory: a panel's part of the vector, and sums of rows behind it.
__device__ __forceinline__ double* product_room() {
  extern __shared__ __align__(128) unsigned char room[];
  return reinterpret_cast<double*>(room);
}

/// A block's part of a product where it has one tile; returns its terms of v.A v.
__device__ __forceinline__ double multiply_one_tile(const ProductArguments& a, const double* v) {
  const Tiling& tiling = a.matrix.tiling;
  const auto tile = static_cast<int>(blockIdx.x);
  const int panel = tile % tiling.panels;
  const std::int64_t first_row = std::int64_t{tile / tiling.panels} * tiling.group_rows;
  double* const sums = a.parts + panel * tiling.vector_size() + first_row;
  double term = 0.0;
  load_panel(tiling, panel, v, product_room());
  multiply_tile(a.matrix, tile, a.kept_slices, product_room(), [&](int row, double sum) {
    sums[row] = sum;
    term = fma(v[first_row + row], sum, term);
  });
  prefetch_tile(a.matrix, tile, a.prefetch_slots);
  return term;
}

/// The panel that a block begins with where it goes through all: blocks begin at different ones, so
/// that some read the matrix while others load a panel.
__device__ __forceinline__ int first_panel(const Tiling& tiling) {
  return static_cast<int>(blockIdx.x * static_cast<unsigned>(tiling.panels) / gridDim.x);
}

/// Whole rows of one group.
__device__ __forceinline__ double multiply_group(const ProductArguments& a, int group,
                                                 const double* v) {
  const Tiling& tiling = a.matrix.tiling;
  double* const x = product_room();
  double* const sums = x + tiling.panel_columns;
  const std::int64_t first_row = std::int64_t{group} * tiling.group_rows;
  const auto rows = static_cast<int>(min(std::int64_t{tiling.group_rows}, tiling.rows - first_row));
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += solver_threads) {
    sums[row] = 0.0;
  }
  int panel = first_panel(tiling);
  for (int n = 0; n < tiling.panels; ++n) {
    load_panel(tiling, panel, v, x);
    multiply_tile(a.matrix, tiling.tile(group, panel), a.kept_slices, x,
                  [&](int row, double sum) { sums[row] += sum; });
    __syncthreads();
    panel = panel + 1 == tiling.panels ? 0 : panel + 1;
  }
  double term = 0.0;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += solver_threads) {
    a.parts[first_row + row] = sums[row];
    term = fma(v[first_row + row], sums[row], term);
  }
  return term;
}

/// The block's part of A v; returns its terms of v.A v. By all threads of the grid; none may still
/// read the block's shared memory.
///
/// Functions of their own: what the solver keeps in registers would leave too few for the entries
/// under way.
static __device__ __noinline__ double multiply_pieces(const ProductArguments& a, const double* v) {
  return multiply_one_tile(a, v);
}
static __device__ __noinline__ double multiply_rows(const ProductArguments& a, const double* v) {
  double term = 0.0;
  for (auto group = static_cast<int>(blockIdx.x); group < a.matrix.tiling.groups;
       group += static_cast<int>(gridDim.x)) {
    term += multiply_group(a, group, v);
    __syncthreads();
  }
  const Tiling& tiling = a.matrix.tiling;
  prefetch_tile(a.matrix, tiling.tile(static_cast<int>(blockIdx.x), first_panel(tiling)),
                a.prefetch_slots);
  return term;
}

}  // namespace bankfull::npb::cg::cuda
