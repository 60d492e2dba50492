#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/core/exec/largest.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::convection {

/// What a stage multiplies by; in the GPU's memory, so that a recorded graph serves any step.
template <class Real>
struct StageFactorsOnGpu {
  Real gamma;
  Real zeta;
  bool store_tendency;
};

/// Whether the cells of a plane are all alike: then their metrics are constants of a kernel.
enum class InPlane { uniform, stretched };

/// Fields as kernels see them: velocity 0 at cell (0, 0, 0), the others at the strides' distances.
template <class Real>
struct FlowOnGpu {
  FlowStrides strides;
  int cells[3];
  const AxisMetric<Real>* planes;   ///< metrics for each plane
  const AxisMetric<Real>* rows;     ///< for each row
  const AxisMetric<Real>* columns;  ///< for each cell of a row
  AxisMetric<Real> row;             ///< the first of the rows: of all in a uniform plane
  AxisMetric<Real> column;          ///< the same of the columns
  InPlane widths;
  WallFaces walls;

  template <InPlane Widths>
  __device__ __forceinline__ const AxisMetric<Real>& row_metric(int j) const {
    return Widths == InPlane::uniform ? row : rows[j];
  }
  template <InPlane Widths>
  __device__ __forceinline__ const AxisMetric<Real>& column_metric(int k) const {
    return Widths == InPlane::uniform ? column : columns[k];
  }

  /// Elements from the first cell, in each field. The neighbours are cells or ghosts.
  __device__ __forceinline__ std::int64_t offset(int i, int j, int k) const {
    expects(i >= 0 && i < cells[0], "i is a plane of the block");
    expects(j >= 0 && j < cells[1], "j is a row of the block");
    expects(k >= 0 && k < cells[2], "k is a cell of the row");
    return i * strides.plane + j * strides.row + k;
  }

  template <InPlane Widths>
  __device__ __forceinline__ PointStencil<Real> stencil(const Real* fields, int i, int j,
                                                        int k) const {
    return {.here = fields + offset(i, j, k),
            .strides = strides,
            .axis = {planes[i], row_metric<Widths>(j), column_metric<Widths>(k)}};
  }
};

template <class Real>
struct AdvanceArguments {
  FlowOnGpu<Real> flow;
  Medium<Real> medium;
  const StageFactorsOnGpu<Real>* stage;
  const Real* fields;
  const Real* source;         ///< null: none
  const Real* source_factor;  ///< of each field
  Real* tendency;
  Real* next;
  int planes_per_block;      ///< a slab of eliminations; queue_advance chooses its own
  double* largest_buoyancy;  ///< raised to the largest buoyancy_rate
};

namespace detail {

/// Stores field `field`, whose values are `at` elements from the first, advanced by its tendency.
template <class Real>
__device__ __forceinline__ void put_advanced(const AdvanceArguments<Real>& arguments,
                                             const StageFactorsOnGpu<Real>& stage, std::int64_t at,
                                             bool on_wall, Real tendency, Real before) {
  const Real result = advanced(arguments.fields[at], stage.gamma, tendency, stage.zeta, before);
  arguments.next[at] = on_wall ? Real(0) : result;
  if (stage.store_tendency) {
    __stcs(arguments.tendency + at, tendency);
  }
}

template <class Real>
__device__ __forceinline__ Real with_source(const AdvanceArguments<Real>& arguments, int field,
                                            std::int64_t at, Real tendency) {
  return arguments.source == nullptr
             ? tendency
             : plus_product(arguments.source_factor[field], arguments.source[at], tendency);
}

/// What the next step along the planes is the first to read, towards L2: a column has too few loads
/// under way to hide the memory's latency. On an H200 advance takes a sixth less time for it.
template <class Real>
__device__ __forceinline__ void prefetch_next_plane(const AdvanceArguments<Real>& arguments,
                                                    const PointStencil<Real>& stencil, int i,
                                                    int fields) {
  const FlowStrides& strides = arguments.flow.strides;
  const int planes_on = min(2, arguments.flow.cells[0] - i);
  const Real* const ahead = stencil.here + planes_on * strides.plane;
  const Real* const tendency =
      arguments.tendency + (stencil.here - arguments.fields) + strides.plane;
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    if (n < fields) {
      prefetch_to_l2(ahead + n * strides.field);
      prefetch_to_l2(tendency + n * strides.field);
    }
  }
}

inline constexpr int advance_columns = 32;
inline constexpr int advance_rows = 4;

/// Blocks that share a multiprocessor and its registers. On an H200 768 threads of fp32 take a
/// tenth less time than 512, and a little less than 1024.
template <class Real>
inline constexpr int advance_blocks = sizeof(Real) == 8 ? 4 : 6;

/// See AdvanceTiles. On an H200, 512^3 cells, fp64: 4 planes and 64 Ki cells take 5.02 ms, 2 planes
/// 5.17, half the cells 5.41, and whole planes, 32 at a time, 5.39.
inline constexpr int most_advance_planes = 4;
inline constexpr int advance_group_cells = 1 << 16;

/// Advances all fields at a column (j, k) through the planes of a block, and returns the largest
/// buoyancy_rate there.
template <Terms Which, InPlane Widths, class Real>
__device__ __forceinline__ Real advance_column(const AdvanceArguments<Real>& arguments, int slab,
                                               int j, int k) {
  const FlowOnGpu<Real>& flow = arguments.flow;
  const StageFactorsOnGpu<Real> stage = *arguments.stage;
  const int first = slab * arguments.planes_per_block;
  const int last = min(flow.cells[0], first + arguments.planes_per_block);
  constexpr bool usual = Which == Terms::usual;
  const int first_fields = usual ? 4 : min(4, 3 + arguments.medium.scalar_count);
  Real largest = Real(0);
  for (int i = first; i < last; ++i) {
    const PointStencil<Real> stencil = flow.template stencil<Widths>(arguments.fields, i, j, k);
    const std::int64_t at = stencil.here - arguments.fields;
    const std::int64_t field = flow.strides.field;
    prefetch_next_plane(arguments, stencil, i, first_fields);
    // All loads before the first store: compilers must take that for a change of the flow.
    Real before[4];
    Real tendency[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      before[n] = n < first_fields ? __ldcs(arguments.tendency + at + n * field) : Real(0);
    }
    tendency[0] = momentum_tendency<0, Which>(stencil, arguments.medium);
    tendency[1] = momentum_tendency<1, Which>(stencil, arguments.medium);
    tendency[2] = momentum_tendency<2, Which>(stencil, arguments.medium);
    if (usual || arguments.medium.scalar_count > 0) {
      tendency[3] = scalar_tendency(stencil, 0, arguments.medium.scalars[0].diffusivity);
    }
    const CellOnWalls walls = flow.walls.around({i, j, k}, flow.cells);
    largest = larger(buoyancy_rate<Which>(stencil, arguments.medium, walls), largest);
    const bool on_wall[4] = {walls.lower[0], walls.lower[1], walls.lower[2], false};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (n < first_fields) {
        put_advanced(arguments, stage, at + n * field, on_wall[n],
                     usual ? tendency[n] : with_source(arguments, n, at + n * field, tendency[n]),
                     before[n]);
      }
    }
    for (int s = 1; !usual && s < arguments.medium.scalar_count; ++s) {
      const std::int64_t there = at + (3 + s) * field;
      put_advanced(
          arguments, stage, there, false,
          with_source(arguments, 3 + s, there,
                      scalar_tendency(stencil, s, arguments.medium.scalars[s].diffusivity)),
          arguments.tendency[there]);
    }
  }
  return largest;
}

/// The order of blocks, which follow their columns through few planes, a slab. A group of rows of
/// tiles goes up through all slabs before the next one does, and has about as many tiles as run at
/// the same time: what neighbours share at their edges, and slabs at their ends, stays in L2, and
/// what is read and written at the same time lies together in memory.
struct AdvanceTiles {
  int columns;
  int group;
  int slabs;
  int groups;

  struct Tile {
    int column;
    int row;
    int slab;
  };

  [[nodiscard]] __host__ unsigned count() const {
    return static_cast<unsigned>(columns) * static_cast<unsigned>(group) *
           static_cast<unsigned>(slabs) * static_cast<unsigned>(groups);
  }
  [[nodiscard]] __device__ __forceinline__ Tile tile(unsigned number) const {
    const unsigned row = number / static_cast<unsigned>(columns);
    const unsigned slab = row / static_cast<unsigned>(group);
    const unsigned of_groups = slab / static_cast<unsigned>(slabs);
    return {static_cast<int>(number % static_cast<unsigned>(columns)),
            static_cast<int>(of_groups * static_cast<unsigned>(group) +
                             row % static_cast<unsigned>(group)),
            static_cast<int>(slab % static_cast<unsigned>(slabs))};
  }
};

/// One thread per column, which it follows through some planes: what neighbours share of a plane,
/// and the plane before, come out of L1.
template <Terms Which, InPlane Widths, class Real>
__global__ void __launch_bounds__(advance_columns* advance_rows, advance_blocks<Real>)
    advance_kernel(const __grid_constant__ AdvanceArguments<Real> arguments,
                   const __grid_constant__ AdvanceTiles tiles) {
  const AdvanceTiles::Tile tile = tiles.tile(blockIdx.x);
  const int k = tile.column * advance_columns + static_cast<int>(threadIdx.x);
  const int j = tile.row * advance_rows + static_cast<int>(threadIdx.y);
  const bool inside = k < arguments.flow.cells[2] && j < arguments.flow.cells[1];
  const Real buoyancy =
      inside ? advance_column<Which, Widths>(arguments, tile.slab, j, k) : Real(0);
  raise_to_largest(arguments.largest_buoyancy, static_cast<double>(buoyancy));
}

template <InPlane Widths, class Real>
auto advance_kernel_within(const AdvanceArguments<Real>& arguments) {
  return terms_of(arguments.medium, arguments.source != nullptr) == Terms::usual
             ? advance_kernel<Terms::usual, Widths, Real>
             : advance_kernel<Terms::all, Widths, Real>;
}

template <class Real>
auto advance_kernel_for(const AdvanceArguments<Real>& arguments) {
  return arguments.flow.widths == InPlane::uniform
             ? advance_kernel_within<InPlane::uniform>(arguments)
             : advance_kernel_within<InPlane::stretched>(arguments);
}

inline AdvanceTiles advance_tiles(const int (&cells)[3], int planes) {
  const auto parts = [](int count, int of) { return (count + of - 1) / of; };
  const int columns = parts(cells[2], advance_columns);
  const int rows = parts(cells[1], advance_rows);
  constexpr int tiles_of_group = advance_group_cells / (advance_columns * advance_rows);
  const int group = std::clamp(tiles_of_group / columns, 1, rows);
  return {columns, group, parts(cells[0], planes), parts(rows, group)};
}

/// Planes of a slab: fewer where the GPU would not be full.
template <class Real>
int advance_planes(const int (&cells)[3], int multiprocessors) {
  const AdvanceTiles tiles = advance_tiles(cells, cells[0]);
  const int wanted = multiprocessors * advance_blocks<Real> / static_cast<int>(tiles.count());
  return std::clamp(cells[0] / std::max(1, wanted), 1, most_advance_planes);
}

}  // namespace detail

/// Queues next = fields + gamma G + zeta G_before.
template <class Real>
void queue_advance(const Stream& stream, AdvanceArguments<Real> arguments) {
  const int(&cells)[3] = arguments.flow.cells;
  arguments.planes_per_block =
      detail::advance_planes<Real>(cells, multiprocessors_of(stream.device()));
  const detail::AdvanceTiles tiles = detail::advance_tiles(cells, arguments.planes_per_block);
  launch(stream, {dim3(tiles.count()), dim3(detail::advance_columns, detail::advance_rows)},
         detail::advance_kernel_for(arguments), arguments, tiles);
}

}  // namespace bankfull::convection
