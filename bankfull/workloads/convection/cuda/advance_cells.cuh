#pragma once

#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/core/exec/largest.cuh"
#include "bankfull/workloads/convection/cuda/advance_tiles.cuh"
#include "bankfull/workloads/convection/cuda/cells.cuh"
#include "bankfull/workloads/convection/cuda/flow.cuh"
#include "bankfull/workloads/convection/point.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bankfull::convection::detail {

/// Velocity and one scalar around `N` neighbouring cells of a row, from the plane below to the one
/// above, in registers: all indices are known to the compiler.
template <class Real, int N>
struct Window {
  static constexpr int fields = 4;
  static constexpr int row = N + 2;
  static constexpr int plane = 3 * row;
  static constexpr int field = 3 * plane;
  static constexpr auto count = static_cast<std::size_t>(fields * field);

  Real values[count];

  /// Planes i and rows j from -1 to 1, cells k from -1 to N.
  __device__ __forceinline__ Real& value(int f, int i, int j, int k) {
    return values[f * field + (1 + i) * plane + (1 + j) * row + (1 + k)];
  }
  __device__ __forceinline__ const Real& value(int f, int i, int j, int k) const {
    return values[f * field + (1 + i) * plane + (1 + j) * row + (1 + k)];
  }

  __device__ __forceinline__ void set(int f, int i, int j, const Cells<Real, N>& cells) {
#pragma unroll
    for (int n = 0; n < N; ++n) {
      value(f, i, j, n) = cells.of[n];
    }
  }

  __device__ __forceinline__ Cells<Real, N> cells(int f) const {
    return Cells<Real, N>::load(&value(f, 0, 0, 0));
  }

  /// Around all cells, or around cell k alone.
  template <class Value>
  __device__ __forceinline__ PointStencil<Real, Value> stencil(const AxisMetric<Real> (&axis)[3],
                                                               int k = 0) const {
    return {.here = &value(0, 0, 0, k),
            .strides = {field, plane, row},
            .axis = {axis[0], axis[1], axis[2]}};
  }

  /// One plane on: what is above is here, what is here is below.
  __device__ __forceinline__ void step() {
#pragma unroll
    for (int f = 0; f < fields; ++f) {
#pragma unroll
      for (int n = 0; n < 2 * plane; ++n) {
        values[f * field + n] = values[f * field + n + plane];
      }
    }
  }
};

/// Fields by numbers of elements that 32 bits hold, from the neighbour below and before the first
/// cell on.
template <class Real>
struct NumberedFields {
  const Real* fields[4];
  Real* tendency[4];
  Real* next[4];
  unsigned row;
  unsigned plane;

  static NumberedFields of(const AdvanceArguments<Real>& arguments) {
    const FlowStrides& strides = arguments.flow.strides;
    NumberedFields all{
        {}, {}, {}, static_cast<unsigned>(strides.row), static_cast<unsigned>(strides.plane)};
    for (int n = 0; n < 4; ++n) {
      const std::int64_t start = n * strides.field - strides.row - strides.plane;
      all.fields[n] = arguments.fields + start;
      all.tendency[n] = arguments.tendency + start;
      all.next[n] = arguments.next + start;
    }
    return all;
  }

  static bool can_number(const FlowOnGpu<Real>& flow) {
    return (std::int64_t{flow.cells[0]} + 3) * flow.strides.plane <=
           std::numeric_limits<unsigned>::max();
  }

  __device__ __forceinline__ unsigned number(int i, int j, int k) const {
    return static_cast<unsigned>(i + 1) * plane + static_cast<unsigned>(j + 1) * row +
           static_cast<unsigned>(k);
  }
};

// What a window is loaded with, by loads.cells(field, plane, row), and before and behind for single
// cells beside them: no more than the functions of point.hpp ask for.

/// What flows through lower faces needs of the plane below.
template <class Loads>
__device__ __forceinline__ void load_below(const Loads& loads) {
  loads.cells(0, -1, 0);
  loads.cells(1, -1, 0);
  loads.cells(1, -1, 1);
  loads.cells(2, -1, 0);
  loads.behind(2, -1, 0);
  loads.cells(3, -1, 0);
}

/// What flows through the lower faces of a plane needs of it.
template <class Loads>
__device__ __forceinline__ void load_beyond_faces(const Loads& loads, int i) {
  loads.cells(0, i, 0);
  loads.before(0, i, 0);
  loads.cells(0, i, -1);
  loads.cells(1, i, 0);
  loads.cells(2, i, 0);
  loads.cells(3, i, 0);
}

/// The rest of the plane of the cells.
template <class Loads>
__device__ __forceinline__ void load_rest(const Loads& loads) {
  loads.behind(0, 0, 0);
  loads.cells(0, 0, 1);
  loads.before(1, 0, 0);
  loads.behind(1, 0, 0);
  loads.cells(1, 0, -1);
  loads.cells(1, 0, 1);
  loads.before(1, 0, 1);
  loads.before(2, 0, 0);
  loads.behind(2, 0, 0);
  loads.cells(2, 0, -1);
  loads.behind(2, 0, -1);
  loads.cells(2, 0, 1);
  loads.before(3, 0, 0);
  loads.behind(3, 0, 0);
  loads.cells(3, 0, -1);
  loads.cells(3, 0, 1);
}

/// Loads of a window around the cells from element `at` on.
template <class Real, int N>
struct WindowLoads {
  const NumberedFields<Real>& all;
  unsigned at;
  Window<Real, N>& window;

  __device__ __forceinline__ const Real* address(int f, int i, int j) const {
    return all.fields[f] +
           (at + static_cast<unsigned>(i) * all.plane + static_cast<unsigned>(j) * all.row);
  }
  __device__ __forceinline__ void cells(int f, int i, int j) const {
    window.set(f, i, j, load_cells<N>(address(f, i, j)));
  }
  __device__ __forceinline__ void before(int f, int i, int j) const {
    window.value(f, i, j, -1) = __ldg(address(f, i, j) - 1);
  }
  __device__ __forceinline__ void behind(int f, int i, int j) const {
    window.value(f, i, j, N) = __ldg(address(f, i, j) + N);
  }

  /// Where the new tendencies go.
  __device__ __forceinline__ Real* tendency_to(int f) const { return all.tendency[f] + at; }

  __device__ __forceinline__ void below() const { load_below(*this); }
  __device__ __forceinline__ void beyond_faces(int i) const { load_beyond_faces(*this, i); }
  __device__ __forceinline__ void rest() const { load_rest(*this); }
};

/// Of each field, along the planes.
template <class Value>
struct FourValues {
  Value of[4];
};

/// Through the lower faces (0) of the points, or the upper ones (1).
template <class Real, class Value>
__device__ __forceinline__ FourValues<Value> fluxes_along_planes(
    const PointStencil<Real, Value>& stencil, const Medium<Real>& medium, int side) {
  const AxisMetric<Real>& axis = stencil.axis[0];
  const Real per_face = side == 0 ? axis.per_face : axis.per_face_next;
  return {{own_flux<0>(stencil, medium.viscosity, side - 1,
                       side == 0 ? axis.per_cell_before : axis.per_cell),
           cross_flux<1, 0>(stencil, medium.viscosity, side, per_face),
           cross_flux<2, 0>(stencil, medium.viscosity, side, per_face),
           scalar_flux<0>(stencil, 0, medium.scalars[0].diffusivity, side, per_face)}};
}

/// momentum_transport<A, B>, of which the part along the planes is known.
template <int A, int B, class Real, class Value>
__device__ __forceinline__ Value transport_beside(const PointStencil<Real, Value>& stencil,
                                                  const Medium<Real>& medium,
                                                  const Value& along_planes) {
  if constexpr (B == 0) {
    return along_planes;
  } else {
    return momentum_transport<A, B>(stencil, medium.viscosity);
  }
}

/// momentum_tendency<A>, likewise, and in its order.
template <int A, class Real, class Value>
__device__ __forceinline__ Value tendency_beside(const PointStencil<Real, Value>& stencil,
                                                 const Medium<Real>& medium,
                                                 const Value& along_planes) {
  const Value transport = transport_beside<A, A>(stencil, medium, along_planes) +
                          transport_beside<A, (A + 1) % 3>(stencil, medium, along_planes) +
                          transport_beside<A, (A + 2) % 3>(stencil, medium, along_planes);
  return with_forces<A, Terms::usual>(stencil, medium, transport);
}

template <class Real, class Value>
__device__ __forceinline__ FourValues<Value> tendencies_between(
    const PointStencil<Real, Value>& stencil, const Medium<Real>& medium,
    const FourValues<Value>& lower, const FourValues<Value>& upper) {
  const AxisMetric<Real>& axis = stencil.axis[0];
  const auto along = [&](int n) {
    return (n == 0 ? axis.per_face : axis.per_cell) * (lower.of[n] - upper.of[n]);
  };
  const Real kappa = medium.scalars[0].diffusivity;
  FourValues<Value> tendency;
  tendency.of[0] = tendency_beside<0>(stencil, medium, along(0));
  tendency.of[1] = tendency_beside<1>(stencil, medium, along(1));
  tendency.of[2] = tendency_beside<2>(stencil, medium, along(2));
  tendency.of[3] =
      along(3) + scalar_transport<1>(stencil, 0, kappa) + scalar_transport<2>(stencil, 0, kappa);
  return tendency;
}

/// What shapes a kernel whose threads take N cells of a row.
template <class Real, int N>
struct CellsSchedule {
  /// Whether the fluxes through upper faces are kept for the next plane, and with them what of the
  /// window was loaded: in fp64 it costs more registers than it is worth.
  static constexpr bool carries = sizeof(Real) == 4;
  /// N neighbours of fp32 have about the registers of one of fp64.
  static constexpr AdvanceShape shape{.columns = 32 * N,
                                      .blocks = sizeof(Real) == 8 ? 4 : (N == 2 ? 5 : 7),
                                      .most_planes = 4,
                                      .group_cells = sizeof(Real) == 8 ? 1 << 16 : 1 << 17};
};

/// A thread's way through the planes of a slab.
template <class Real, int N>
struct CellsOfColumn {
  using Value = Cells<Real, N>;

  const AdvanceArguments<Real>& arguments;
  const NumberedFields<Real>& all;
  CellOnWalls walls;  ///< of all cells together; along the planes since `advance`
  unsigned at;
  AxisMetric<Real> axis[3];
  Window<Real, N> window;
  FourValues<Value> lower;

  __device__ __forceinline__ CellsOfColumn(const AdvanceArguments<Real>& given,
                                           const NumberedFields<Real>& numbered, int first, int j,
                                           int k)
      : arguments(given),
        all(numbered),
        walls(given.flow.walls.around({0, j, k}, {1, given.flow.cells[1], given.flow.cells[2]})),
        at(numbered.number(first, j, k)) {
    const FlowOnGpu<Real>& flow = given.flow;
    axis[1] = flow.row;
    axis[2] = flow.column;
    // They are equal; said so, the compiler forms one product of them instead of two.
    axis[1].per_face_next = axis[1].per_face;
    axis[2].per_face_next = axis[2].per_face;
    walls.upper[2] = flow.walls.at_end(2, 1) && k + N == flow.cells[2];
  }

  /// Before all else in plane i.
  __device__ __forceinline__ void enter(int i) { axis[0] = arguments.flow.planes[i]; }

  __device__ __forceinline__ PointStencil<Real, Value> stencil() const {
    return window.template stencil<Value>(axis);
  }

  __device__ __forceinline__ WindowLoads<Real, N> loads() { return {all, at, window}; }

  /// See prefetch_next_plane.
  __device__ __forceinline__ void prefetch(int i) const {
    const unsigned ahead = i + 2 > arguments.flow.cells[0] ? at + all.plane : at + 2 * all.plane;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      prefetch_to_l2(all.fields[n] + ahead);
      prefetch_to_l2(all.tendency[n] + (at + all.plane));
    }
  }

  /// `loads` of the window, as all below.
  template <class Loads>
  __device__ __forceinline__ void find_lower_fluxes(const Loads& loads) {
    loads.below();
    loads.beyond_faces(0);
    lower = fluxes_along_planes(stencil(), arguments.medium, 0);
  }

  /// buoyancy_rate of the cells, of which the first and the last may lie on walls.
  __device__ __forceinline__ Real largest_buoyancy_rate() const {
    Real largest = Real(0);
#pragma unroll
    for (int n = 0; n < N; ++n) {
      CellOnWalls beside = walls;
      beside.lower[2] = n == 0 && walls.lower[2];
      beside.upper[2] = n + 1 == N && walls.upper[2];
      largest = larger(buoyancy_rate<Terms::usual>(window.template stencil<Real>(axis, n),
                                                   arguments.medium, beside),
                       largest);
    }
    return largest;
  }

  /// Zero for velocities on walls.
  __device__ __forceinline__ Value held(int field, Value value) const {
    if (field == 2) {
      value.of[0] = walls.lower[2] ? Real(0) : value.of[0];
      return value;
    }
    const bool on_wall = field < 2 && walls.lower[field];
    return Value::each([&](int n) { return on_wall ? Real(0) : value.of[n]; });
  }

  /// Advances the cells in this plane, and returns the largest buoyancy_rate there.
  template <class Loads>
  __device__ __forceinline__ Real advance(int i, const StageFactorsOnGpu<Real>& stage,
                                          const Loads& loads) {
    loads.beyond_faces(1);
    loads.rest();
    FourValues<Value> before;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      before.of[n] = load_cells_once<N>(all.tendency[n] + at);
    }
    const PointStencil<Real, Value> around = stencil();
    const FourValues<Value> upper = fluxes_along_planes(around, arguments.medium, 1);
    const FourValues<Value> tendency = tendencies_between(around, arguments.medium, lower, upper);
    const FlowOnGpu<Real>& flow = arguments.flow;
    walls.lower[0] = flow.walls.at_end(0, 0) && i == 0;
    walls.upper[0] = flow.walls.at_end(0, 1) && i + 1 == flow.cells[0];
    const Real rate = largest_buoyancy_rate();
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const Value result =
          advanced(window.cells(n), stage.gamma, tendency.of[n], stage.zeta, before.of[n]);
      store_cells(all.next[n] + at, held(n, result));
      if (stage.store_tendency) {
        store_cells_once(loads.tendency_to(n), tendency.of[n]);
      }
    }
    lower = upper;
    return rate;
  }

  __device__ __forceinline__ void step() {
    window.step();
    at += all.plane;
  }
};

/// Advances N cells of a row through the planes of a slab; returns the largest buoyancy_rate.
template <class Real, int N>
__device__ __forceinline__ Real advance_cells(const AdvanceArguments<Real>& arguments,
                                              const NumberedFields<Real>& all, int slab, int j,
                                              int k) {
  constexpr bool carries = CellsSchedule<Real, N>::carries;
  const StageFactorsOnGpu<Real> stage = *arguments.stage;
  const int first = slab * arguments.planes_per_block;
  const int last = min(arguments.flow.cells[0], first + arguments.planes_per_block);
  CellsOfColumn<Real, N> column(arguments, all, first, j, k);
  if constexpr (carries) {
    column.enter(first);
    column.find_lower_fluxes(column.loads());
  }
  Real largest = Real(0);
  for (int i = first; i < last; ++i) {
    column.enter(i);
    column.prefetch(i);
    if constexpr (!carries) {
      column.find_lower_fluxes(column.loads());
    }
    largest = larger(column.advance(i, stage, column.loads()), largest);
    column.step();
  }
  return largest;
}

/// One parameter: where these are two, nvcc 13.0 places the loads of tendencies right before their
/// use, and nothing hides their latency (ADR 0055).
template <class Real>
struct CellsArguments {
  AdvanceArguments<Real> advance;
  NumberedFields<Real> all;
};

/// Threads that each have N cells of a row in a plane, of the usual terms, where the cells of
/// planes are all alike.
template <class Real, int N>
__global__ void __launch_bounds__(advance_threads, CellsSchedule<Real, N>::shape.blocks)
    advance_cells_kernel(const __grid_constant__ CellsArguments<Real> arguments,
                         const __grid_constant__ AdvanceTiles tiles) {
  const AdvanceArguments<Real>& advance = arguments.advance;
  const AdvanceTiles::Tile tile = tiles.tile(blockIdx.x);
  const int k = (tile.column * advance_columns + static_cast<int>(threadIdx.x)) * N;
  const int j = tile.row * advance_rows + static_cast<int>(threadIdx.y);
  const bool inside = k < advance.flow.cells[2] && j < advance.flow.cells[1];
  const Real buoyancy =
      inside ? advance_cells<Real, N>(advance, arguments.all, tile.slab, j, k) : Real(0);
  raise_to_largest(advance.largest_buoyancy, static_cast<double>(buoyancy));
}

}  // namespace bankfull::convection::detail
