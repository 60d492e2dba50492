#pragma once

#include "bankfull/workloads/npb/cg/cuda/items.cuh"
#include "bankfull/workloads/npb/cg/cuda/panels.cuh"
#include "bankfull/workloads/npb/cg/cuda/warp_slices.cuh"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// Arguments of products.
struct ProductArguments {
  TilesView matrix;
  int kept_warps;  ///< of each block, whose slices are to stay in L2 from product to product
  double* parts;   ///< `product_parts` vectors of sums, whose sum is the product
  ItemsView items;
};

/// sink.take(row in the group, sum of its piece, what sink.before(row) gave) for all rows of the
/// calling warp's slices, by one thread each, which is the same every time. `x` is the panel.
template <bool AllPanels, class Vector, class Sink>
class SliceSums {
 public:
  /// Loads the first entries.
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

  /// Processes a tile, whose panel has been loaded, and loads the first entries of the next. Tiles
  /// are numbered down to 1.
  __device__ __forceinline__ void work_through(int tile) {
    double sum = 0.0;
#pragma unroll 1
    while (slices_.tile() == tile) {
      sum = add_batch_to(sum);
      slices_.template pass<slots>();
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
  static constexpr int slots = static_cast<int>(AllPanels ? short_batch_slots : batch_slots);

  __device__ __forceinline__ void ask() {
    if (slices_.tile() > 0) {
      batch_.read(matrix_, slices_, policy_);
    }
  }

  [[nodiscard]] __device__ __forceinline__ double add_batch_to(double sum) const {
    if constexpr (AllPanels) {
      if (slices_.left() >= slots) {
        return batch_.add_to(sum, x_);
      }
      return batch_.add_first_to(sum, x_, slices_.left());
    } else {
      return batch_.add_to(sum, x_);
    }
  }

  [[nodiscard]] __device__ __forceinline__ bool takes(std::uint16_t row) const {
    return row != TilesView::no_row &&
           (threadIdx.x & static_cast<unsigned>(matrix_.tiling.row_lanes - 1)) == 0;
  }

  __device__ __forceinline__ void look_up_before() {
    if (takes(slices_.row())) {
      before_ = sink_.before(slices_.row());
    }
  }

  const TilesView& matrix_;
  Vector x_;
  Sink& sink_;
  CachePolicy policy_;
  WarpSlices<AllPanels> slices_;
  EntryBatch<slots> batch_;
  typename Sink::Before before_{};
};

/// A vector in memory, to multiply a tile by.
struct StoredVector {
  static constexpr bool has_term = false;
  struct Element {};

  const double* elements;

  __device__ __forceinline__ void begin_panel(const Tiling& tiling, int panel, double* x) const {
    cuda::begin_panel(tiling, panel, elements, x);
  }
  __device__ __forceinline__ void finish_panel(const Tiling& /*tiling*/, int /*panel*/,
                                               double* /*x*/) const {
    cuda::finish_panel();
  }
  [[nodiscard]] __device__ __forceinline__ Element ask(std::int64_t /*n*/) const { return {}; }
};

/// The vector p = r + beta p', where p' is what the product before multiplied, unless beta is 0:
/// the block's panel still has its part of p'. No pass forms the vector before the product, and no
/// barrier stands between both.
///
/// The terms are those of r.A p. It equals the p.A p of NPB's program, since directions that follow
/// each other are conjugate: p = r + beta p' and p'.A p = 0, up to rounding (M. Hestenes, E.
/// Stiefel, Methods of Conjugate Gradients for Solving Linear Systems, J. Res. NBS 49, 1952). The
/// first direction of a solve, where beta is 0, is r itself. So nothing of p' is read for the rows
/// of the group; a run verifies zeta all the same.
struct NextDirection {
  static constexpr bool has_term = true;
  using Element = double;

  const double* r;
  double beta;

  __device__ __forceinline__ void begin_panel(const Tiling& /*tiling*/, int /*panel*/,
                                              double* /*x*/) const {}
  __device__ __forceinline__ void finish_panel(const Tiling& tiling, int panel, double* x) const {
    const auto* const added =
        reinterpret_cast<const double2*>(r + std::int64_t{panel} * tiling.panel_columns);
    auto* const direction = reinterpret_cast<double2*>(x);
    const int pairs = panel_size(tiling, panel) / 2;
#pragma unroll 3
    for (int n = static_cast<int>(threadIdx.x); n < pairs; n += solver_threads) {
      const double2 from = __ldcg(added + n);
      const double2 before = direction[n];
      direction[n] = {fma(beta, before.x, from.x), fma(beta, before.y, from.y)};
    }
    __syncthreads();
  }
  [[nodiscard]] __device__ __forceinline__ Element ask(std::int64_t n) const { return r[n]; }
};

/// Stores sums of pieces in memory and, for vectors with terms, multiplies them by what these ask
/// for.
template <class Vector>
struct PieceSink {
  using Before = typename Vector::Element;

  const Vector& v;
  std::int64_t first_row;  ///< of the group
  double* sums;            ///< of its rows
  double term = 0.0;

  [[nodiscard]] __device__ __forceinline__ Before before(int row) const {
    return v.ask(first_row + row);
  }
  __device__ __forceinline__ void take(int row, double sum, const Before& of_row) {
    sums[row] = sum;
    if constexpr (Vector::has_term) {
      term = fma(of_row, sum, term);
    }
  }
};

/// Adds sums of pieces to those of rows.
struct RowSink {
  double* sums;  ///< in shared memory

  struct Before {};
  [[nodiscard]] __device__ __forceinline__ Before before(int /*row*/) const { return {}; }
  __device__ __forceinline__ void take(int row, double sum, const Before& /*before*/) {
    sums[row] += sum;
  }
};

/// A tile by its panel of v; returns its terms where v has them. By all threads of the block, none
/// of which may still read its shared memory.
template <class Vector>
__device__ __forceinline__ double multiply_tile(const ProductArguments& a, int tile,
                                                const Vector& v) {
  const Tiling& tiling = a.matrix.tiling;
  const int group = tile / tiling.panels;
  const int panel = tile % tiling.panels;
  const std::int64_t first_row = std::int64_t{group} * tiling.group_rows;
  const std::int64_t part_size = Vector::has_term ? tiling.vector_size() : tiling.sums_size();
  PieceSink<Vector> sink{v, first_row, a.parts + panel * part_size + first_row};
  v.begin_panel(tiling, panel, product_workspace());
  SliceSums<false, double*, PieceSink<Vector>> sums(a.matrix, group, panel, a.kept_warps,
                                                    product_workspace(), sink);
  v.finish_panel(tiling, panel, product_workspace());
  sums.work_through(1);
  return sink.term;
}

/// The first panel of a group for which a block goes through all of them: groups begin at different
/// panels, so that some read the matrix while others load a panel. It depends on nothing else, for
/// it decides the order in which the sum of a row is formed.
__device__ __forceinline__ int first_panel(const Tiling& tiling, int group) {
  const auto blocks = static_cast<unsigned>(tiling.blocks);
  const unsigned place = static_cast<unsigned>(group) % blocks;
  return static_cast<int>(place * static_cast<unsigned>(tiling.panels) / blocks);
}

/// Whole rows of one group.
__device__ __forceinline__ void multiply_group(const ProductArguments& a, int group,
                                               Panels& panels) {
  const Tiling& tiling = a.matrix.tiling;
  double* const x = product_workspace();
  RowSink sink{x + tiling.panel_columns};
  const std::int64_t first_row = std::int64_t{group} * tiling.group_rows;
  const auto rows = static_cast<int>(min(std::int64_t{tiling.group_rows}, tiling.rows - first_row));
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += solver_threads) {
    sink.sums[row] = 0.0;
  }
  int panel = first_panel(tiling, group);
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
  Panels panels(a.matrix.tiling, v, product_workspace());
  for (int group = next_item_of_block(a.items); group >= 0; group = next_item_of_block(a.items)) {
    multiply_group(a, group, panels);
  }
}

}  // namespace bankfull::npb::cg::cuda
