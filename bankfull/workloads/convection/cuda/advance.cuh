#pragma once

#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/core/exec/largest.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/workloads/convection/cuda/advance_cells.cuh"
#include "bankfull/workloads/convection/cuda/advance_tiles.cuh"
#include "bankfull/workloads/convection/cuda/advance_unprojected.cuh"
#include "bankfull/workloads/convection/cuda/flow.cuh"
#include "bankfull/workloads/convection/point.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::convection {

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

/// See AdvanceTiles. On an H200, 512^3 cells, fp64: 4 planes and 64 Ki cells take 5.02 ms, 2 planes
/// 5.17, half the cells 5.41, and whole planes, 32 at a time, 5.39. 768 threads of fp32 take a
/// tenth less time than 512, and a little less than 1024.
template <class Real>
inline constexpr AdvanceShape advance_shape{.columns = advance_columns,
                                            .blocks = sizeof(Real) == 8 ? 4 : 6,
                                            .most_planes = 4,
                                            .group_cells = 1 << 16};

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

/// One thread per column, which it follows through some planes: what neighbours share of a plane,
/// and the plane before, come out of L1.
template <Terms Which, InPlane Widths, class Real>
__global__ void __launch_bounds__(advance_threads, advance_shape<Real>.blocks)
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

/// The usual terms are done by advance_cells_kernel, but where planes are stretched, or there are
/// more elements than it can number.
template <class Real>
auto advance_kernel_for(const AdvanceArguments<Real>& arguments, Terms terms) {
  if (terms == Terms::usual) {
    return advance_kernel<Terms::usual, InPlane::stretched, Real>;
  }
  return arguments.flow.widths == InPlane::uniform
             ? advance_kernel<Terms::all, InPlane::uniform, Real>
             : advance_kernel<Terms::all, InPlane::stretched, Real>;
}

/// launch_kernel(arguments, tiles, shape of the launch), with slabs that fill the GPU.
template <class Real, class Launch>
void in_slabs(const Stream& stream, AdvanceArguments<Real> arguments, const AdvanceShape& shape,
              const Launch& launch_kernel) {
  const int(&cells)[3] = arguments.flow.cells;
  arguments.planes_per_block = advance_planes(cells, multiprocessors_of(stream.device()), shape);
  const AdvanceTiles tiles = advance_tiles(cells, arguments.planes_per_block, shape);
  launch_kernel(arguments, tiles,
                LaunchShape{dim3(tiles.count()), dim3(advance_columns, advance_rows)});
}

template <int N, class Real>
void queue_advance_of_cells(const Stream& stream, const AdvanceArguments<Real>& arguments) {
  in_slabs(stream, arguments, CellsSchedule<Real, N>::shape,
           [&](const auto& in_slab, const AdvanceTiles& tiles, const LaunchShape& blocks) {
             launch(stream, blocks, advance_cells_kernel<Real, N>,
                    CellsArguments<Real>{in_slab, NumberedFields<Real>::of(in_slab)}, tiles);
           });
}

}  // namespace detail

/// Queues next = fields + gamma G + zeta G_before.
template <class Real>
void queue_advance(const Stream& stream, const AdvanceArguments<Real>& arguments) {
  using namespace detail;
  const FlowOnGpu<Real>& flow = arguments.flow;
  const Terms terms = terms_of(arguments.medium, arguments.source != nullptr);
  if (terms == Terms::usual && flow.widths == InPlane::uniform &&
      NumberedFields<Real>::can_number(flow)) {
    constexpr int neighbours = 8 / static_cast<int>(sizeof(Real));
    flow.cells[2] % neighbours == 0 ? queue_advance_of_cells<neighbours>(stream, arguments)
                                    : queue_advance_of_cells<1>(stream, arguments);
    return;
  }
  in_slabs(stream, arguments, advance_shape<Real>,
           [&](const auto& in_slab, const AdvanceTiles& tiles, const LaunchShape& blocks) {
             launch(stream, blocks, advance_kernel_for(arguments, terms), in_slab, tiles);
           });
}

/// Whether queue_advance_unprojected serves a flow whose projections have this potential.
template <class Real>
bool can_advance_unprojected(const FlowOnGpu<Real>& flow, const Medium<Real>& medium,
                             bool has_sources, const poisson::CellSlots<Real>& potential) {
  constexpr int together = detail::ProjectingSchedule<Real>::cells;
  const WallFaces& walls = flow.walls;
  return terms_of(medium, has_sources) == Terms::usual && flow.widths == InPlane::uniform &&
         walls.at_end(0, 0) && walls.at_end(0, 1) && walls.closes(1) && walls.closes(2) &&
         flow.cells[1] > 1 && detail::NumberedFields<Real>::can_number(flow) &&
         in_groups<together>(flow.cells[2], potential) && potential.folded_j == 0;
}

/// Queues the same as queue_advance of a flow that is yet to be projected, whose ghosts
/// queue_outer_ghosts has filled; raises `*largest_advection` to the largest advective_rate of the
/// projected flow. `next_tendency`: of the first field; it may be that of the arguments.
template <class Real>
void queue_advance_unprojected(const Stream& stream, const AdvanceArguments<Real>& arguments,
                               Real* next_tendency, const poisson::CellSlots<Real>& potential,
                               double* largest_advection) {
  using namespace detail;
  in_slabs(
      stream, arguments, ProjectingSchedule<Real>::shape,
      [&](const auto& in_slab, const AdvanceTiles& tiles, const LaunchShape& blocks) {
        launch(stream, blocks, advance_unprojected_kernel<Real>,
               UnprojectedArguments<Real>::of(in_slab, next_tendency, potential, largest_advection),
               tiles);
      });
}

/// Queues that once more, to be done only if amend(stage) returns true, with the stage that it then
/// sets: `next_tendency` is another than that of the arguments.
template <class Real, class Amend>
void queue_amended_advance(const Stream& stream, const AdvanceArguments<Real>& arguments,
                           Real* next_tendency, const poisson::CellSlots<Real>& potential,
                           const Amend& amend) {
  using namespace detail;
  in_slabs(stream, arguments, ProjectingSchedule<Real>::shape,
           [&](const auto& in_slab, const AdvanceTiles& tiles, const LaunchShape& blocks) {
             const int filling =
                 ProjectingSchedule<Real>::shape.blocks * multiprocessors_of(stream.device());
             const dim3 few(std::min(tiles.count(), static_cast<unsigned>(filling)));
             launch(stream, {few, blocks.block}, amend_unprojected_kernel<Real, Amend>,
                    UnprojectedArguments<Real>::of(in_slab, next_tendency, potential, nullptr),
                    tiles, amend);
           });
}

}  // namespace bankfull::convection
