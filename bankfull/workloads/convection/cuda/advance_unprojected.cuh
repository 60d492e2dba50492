#pragma once

#include "bankfull/core/exec/cache_policy.cuh"
#include "bankfull/core/exec/largest.cuh"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cuda/advance_cells.cuh"
#include "bankfull/workloads/convection/cuda/advance_tiles.cuh"
#include "bankfull/workloads/convection/cuda/cells.cuh"
#include "bankfull/workloads/convection/cuda/flow.cuh"
#include "bankfull/workloads/convection/point.hpp"

#include <cstddef>
#include <cstdint>

// `advance` of a flow whose last projection was left to it: it takes the gradient of the potential
// from the velocities as it loads them. Rows and planes close on themselves, and the planes end at
// walls, whose ghosts are those of the projected flow; others are not read.

namespace bankfull::convection::detail {

/// The potential of a projection around N cells of a row, in registers as a Window is.
template <class Real, int N>
struct PotentialWindow {
  static constexpr int row = N + 3;
  static constexpr int plane = 4 * row;
  static constexpr auto count = static_cast<std::size_t>(4 * plane);

  Real values[count];

  /// Planes i and rows j from -2 to 1, cells k from -2 to N.
  __device__ __forceinline__ Real& value(int i, int j, int k) {
    return values[(2 + i) * plane + (2 + j) * row + (2 + k)];
  }
  __device__ __forceinline__ const Real& value(int i, int j, int k) const {
    return values[(2 + i) * plane + (2 + j) * row + (2 + k)];
  }

  /// One plane on.
  __device__ __forceinline__ void step() {
#pragma unroll
    for (int n = 0; n < 3 * plane; ++n) {
      values[n] = values[n + plane];
    }
  }
};

/// A potential of which no cell is folded, by numbers of elements that 32 bits hold.
template <class Real>
struct NumberedPotential {
  const Real* values;
  unsigned row;
  unsigned plane;

  static NumberedPotential of(const poisson::CellSlots<Real>& slots) {
    return {slots.data, static_cast<unsigned>(slots.row_pitch),
            static_cast<unsigned>(slots.plane_pitch)};
  }

  __device__ __forceinline__ unsigned number(int i, int j, int k) const {
    return static_cast<unsigned>(i) * plane + static_cast<unsigned>(j) * row +
           static_cast<unsigned>(k);
  }
};

/// One parameter, as CellsArguments are.
template <class Real>
struct UnprojectedArguments {
  AdvanceArguments<Real> advance;
  NumberedFields<Real> all;
  NumberedPotential<Real> potential;
  Real* next_tendency[4];     ///< as NumberedFields::tendency, which it may be
  double* largest_advection;  ///< raised to the largest advective_rate of the projected flow

  /// `next_tendency`: of the first field.
  static UnprojectedArguments of(const AdvanceArguments<Real>& advance, Real* next_tendency,
                                 const poisson::CellSlots<Real>& potential,
                                 double* largest_advection) {
    UnprojectedArguments all{.advance = advance,
                             .all = NumberedFields<Real>::of(advance),
                             .potential = NumberedPotential<Real>::of(potential),
                             .next_tendency = {},
                             .largest_advection = largest_advection};
    for (int n = 0; n < 4; ++n) {
      all.next_tendency[n] = next_tendency + (all.all.tendency[n] - advance.tendency);
    }
    return all;
  }
};

// From a cell to others, in elements: `row` of fields and `potential_row` modulo 2^32, the others
// along a row.

/// Within a block of threads that is not at an end of rows or planes: known to the compiler, but
/// for the pitches.
struct WithinEnds {
  static constexpr int two_before = -2;
  static constexpr int before = -1;
  unsigned row_pitch;
  unsigned potential_pitch;

  template <int N, class Real>
  __device__ __forceinline__ static WithinEnds of(const UnprojectedArguments<Real>& arguments,
                                                  int /*j*/, int /*k*/) {
    return {arguments.all.row, arguments.potential.row};
  }

  template <int N>
  __device__ __forceinline__ static int behind() {
    return N;
  }
  __device__ __forceinline__ unsigned row(int j) const {
    return static_cast<unsigned>(j) * row_pitch;
  }
  __device__ __forceinline__ unsigned potential_row(int j) const {
    return static_cast<unsigned>(j) * potential_pitch;
  }
};

/// Around the ends, which close on each other.
struct AroundEnds {
  unsigned rows[3];            ///< to the row below, none, to the one above
  unsigned potential_rows[4];  ///< to the second one below, the one below, none, the one above
  int two_before;
  int before;
  int first_behind;  ///< the N cells that a thread has

  template <int N, class Real>
  __device__ __forceinline__ static AroundEnds of(const UnprojectedArguments<Real>& arguments,
                                                  int j, int k) {
    const int(&cells)[3] = arguments.advance.flow.cells;
    const int below = j > 0 ? -1 : cells[1] - 1;
    const int two_below = j > 1 ? -2 : cells[1] - 2;
    const int above = j + 1 < cells[1] ? 1 : -j;
    const auto rows = [](int count, unsigned pitch) {
      return static_cast<unsigned>(count) * pitch;
    };
    const unsigned pitch = arguments.all.row;
    const unsigned of_potential = arguments.potential.row;
    return {.rows = {rows(below, pitch), 0U, rows(above, pitch)},
            .potential_rows = {rows(two_below, of_potential), rows(below, of_potential), 0U,
                               rows(above, of_potential)},
            .two_before = k > 1 ? -2 : cells[2] - 2,
            .before = k > 0 ? -1 : cells[2] - 1,
            .first_behind = k + N < cells[2] ? N : -k};
  }

  template <int N>
  __device__ __forceinline__ int behind() const {
    return first_behind;
  }
  __device__ __forceinline__ unsigned row(int j) const { return rows[1 + j]; }
  __device__ __forceinline__ unsigned potential_row(int j) const { return potential_rows[2 + j]; }
};

/// Beside a plane of cells. Beyond the outer planes the potential goes on as it is there: through
/// walls it has no gradient.
template <class Real>
struct PlanesBeside {
  unsigned potential[4];  ///< the number of the cell's element in planes i - 2 to i + 1
  bool is_ghost[3];       ///< whether planes i - 1 to i + 1 are
  Real per_face[3];       ///< along the planes, of their lower faces

  __device__ __forceinline__ static PlanesBeside of(const FlowOnGpu<Real>& flow,
                                                    const NumberedPotential<Real>& all, unsigned at,
                                                    int i, const AxisMetric<Real>& metric) {
    const bool is_first = i == 0;
    const bool is_last = i + 1 == flow.cells[0];
    const unsigned below = is_first ? at : at - all.plane;
    return {
        .potential = {i > 1 ? below - all.plane : below, below, at, is_last ? at : at + all.plane},
        .is_ghost = {is_first, false, is_last},
        .per_face = {flow.planes[is_first ? 0 : i - 1].per_face, metric.per_face,
                     metric.per_face_next}};
  }
};

/// Loads of a window as WindowLoads has them, each velocity projected on the way.
template <class Real, int N, class Ends>
struct ProjectingLoads {
  using Several = Cells<Real, N>;

  const UnprojectedArguments<Real>& arguments;
  const Ends& ends;
  const PlanesBeside<Real>& planes;
  unsigned at;
  Window<Real, N>& window;
  PotentialWindow<Real, N>& potential;

  __device__ __forceinline__ const Real* address(int f, int i, int j) const {
    const NumberedFields<Real>& all = arguments.all;
    return all.fields[f] + (at + static_cast<unsigned>(i) * all.plane + ends.row(j));
  }
  __device__ __forceinline__ const Real* of_potential(int i, int j) const {
    return arguments.potential.values + (planes.potential[2 + i] + ends.potential_row(j));
  }

  __device__ __forceinline__ void potential_cells(int i, int j) const {
    const Several cells = load_cells<N>(of_potential(i, j));
#pragma unroll
    for (int n = 0; n < N; ++n) {
      potential.value(i, j, n) = cells.of[n];
    }
  }
  __device__ __forceinline__ void potential_before(int i, int j) const {
    potential.value(i, j, -1) = __ldg(of_potential(i, j) + ends.before);
  }
  __device__ __forceinline__ void potential_behind(int i, int j) const {
    potential.value(i, j, N) = __ldg(of_potential(i, j) + ends.template behind<N>());
  }

  /// Field f at a place of the window, of which `value` was loaded, as Project has it.
  __device__ __forceinline__ Real projected(int f, int i, int j, int k, Real value) const {
    if (f == 3) {
      return value;
    }
    const FlowOnGpu<Real>& flow = arguments.advance.flow;
    const Real here = potential.value(i, j, k);
    if (f == 0) {
      return projected_velocity(value, planes.per_face[1 + i], here, potential.value(i - 1, j, k));
    }
    const Real less =
        f == 1
            ? projected_velocity(value, flow.row.per_face, here, potential.value(i, j - 1, k))
            : projected_velocity(value, flow.column.per_face, here, potential.value(i, j, k - 1));
    return i != 0 && planes.is_ghost[1 + i] ? value : less;
  }

  __device__ __forceinline__ void cells(int f, int i, int j) const {
    const Several loaded = load_cells<N>(address(f, i, j));
#pragma unroll
    for (int n = 0; n < N; ++n) {
      window.value(f, i, j, n) = projected(f, i, j, n, loaded.of[n]);
    }
  }
  __device__ __forceinline__ void before(int f, int i, int j) const {
    window.value(f, i, j, -1) = projected(f, i, j, -1, __ldg(address(f, i, j) + ends.before));
  }
  __device__ __forceinline__ void behind(int f, int i, int j) const {
    window.value(f, i, j, N) =
        projected(f, i, j, N, __ldg(address(f, i, j) + ends.template behind<N>()));
  }

  __device__ __forceinline__ Real* tendency_to(int f) const {
    return arguments.next_tendency[f] + at;
  }

  __device__ __forceinline__ void below() const {
    potential_cells(-2, 0);
    potential_cells(-1, 0);
    potential_before(-1, 0);
    potential_behind(-1, 0);
    potential_cells(-1, -1);
    potential_cells(-1, 1);
    load_below(*this);
  }

  __device__ __forceinline__ void beyond_faces(int i) const {
    potential_cells(i, 0);
    potential_before(i, 0);
    potential_cells(i, -1);
    load_beyond_faces(*this, i);
  }

  __device__ __forceinline__ void rest() const {
    potential_behind(0, 0);
    potential.value(0, 0, -2) = __ldg(of_potential(0, 0) + ends.two_before);
    potential_cells(0, -2);
    potential_before(0, -1);
    potential_behind(0, -1);
    potential_cells(0, 1);
    potential_before(0, 1);
    load_rest(*this);
  }
};

/// See CellsSchedule. Threads keep fluxes, and what they have loaded, in fp64 too: here a window
/// takes half as many loads again. On an H200, 512^3 cells, fp64, slabs of 4 planes take 1.04 of
/// the time, loading again 1.05, 32 x 8 threads 1.01.
template <class Real>
struct ProjectingSchedule {
  static constexpr int cells = 8 / static_cast<int>(sizeof(Real));
  static constexpr AdvanceShape shape{.columns = advance_columns * cells,
                                      .blocks = 4,
                                      .most_planes = 8,
                                      .group_cells = sizeof(Real) == 8 ? 1 << 16 : 1 << 17};
};

/// Largest rates.
template <class Real>
struct RatesOfCells {
  Real advection = Real(0);
  Real buoyancy = Real(0);
};

/// A thread's way through the planes of a slab of an unprojected flow.
template <class Real, int N, class Ends>
struct UnprojectedColumn {
  const UnprojectedArguments<Real>& arguments;
  Ends ends;
  unsigned potential_at;
  CellsOfColumn<Real, N> cells;
  PotentialWindow<Real, N> potential;
  PlanesBeside<Real> planes;

  __device__ __forceinline__ UnprojectedColumn(const UnprojectedArguments<Real>& given, int first,
                                               int j, int k)
      : arguments(given),
        ends(Ends::template of<N>(given, j, k)),
        potential_at(given.potential.number(first, j, k)),
        cells(given.advance, given.all, first, j, k) {
    // There are none; said so, the compiler asks for none.
    for (int axis = 1; axis < 3; ++axis) {
      cells.walls.lower[axis] = cells.walls.upper[axis] = false;
    }
  }

  __device__ __forceinline__ ProjectingLoads<Real, N, Ends> loads() {
    return {arguments, ends, planes, cells.at, cells.window, potential};
  }

  __device__ __forceinline__ void enter(int i) {
    cells.enter(i);
    planes = PlanesBeside<Real>::of(arguments.advance.flow, arguments.potential, potential_at, i,
                                    cells.axis[0]);
  }

  __device__ __forceinline__ void find_lower_fluxes() { cells.find_lower_fluxes(loads()); }

  __device__ __forceinline__ void prefetch(int i) const {
    cells.prefetch(i);
    const unsigned planes_on = i + 2 < arguments.advance.flow.cells[0] ? 2U : 0U;
    prefetch_to_l2(arguments.potential.values +
                   (potential_at + planes_on * arguments.potential.plane));
  }

  __device__ __forceinline__ void advance(int i, const StageFactorsOnGpu<Real>& stage,
                                          RatesOfCells<Real>& largest) {
    largest.buoyancy = larger(cells.advance(i, stage, loads()), largest.buoyancy);
#pragma unroll
    for (int n = 0; n < N; ++n) {
      const auto velocity = [&](int axis) { return cells.window.value(axis, 0, 0, n); };
      largest.advection = larger(advective_rate(cells.axis, velocity(0), velocity(1), velocity(2)),
                                 largest.advection);
    }
  }

  __device__ __forceinline__ void step() {
    cells.step();
    potential.step();
    potential_at += arguments.potential.plane;
  }
};

/// Advances a thread's cells, from (j, k) on, through the planes of a slab.
template <class Ends, class Real>
__device__ __forceinline__ RatesOfCells<Real> advance_unprojected(
    const UnprojectedArguments<Real>& arguments, const StageFactorsOnGpu<Real>& stage, int slab,
    int j, int k) {
  constexpr int cells = ProjectingSchedule<Real>::cells;
  const AdvanceArguments<Real>& advance = arguments.advance;
  const int first = slab * advance.planes_per_block;
  const int last = min(advance.flow.cells[0], first + advance.planes_per_block);
  UnprojectedColumn<Real, cells, Ends> column(arguments, first, j, k);
  RatesOfCells<Real> largest;
  column.enter(first);
  column.find_lower_fluxes();
  for (int i = first; i < last; ++i) {
    column.enter(i);
    column.prefetch(i);
    column.advance(i, stage, largest);
    column.step();
  }
  return largest;
}

/// The same of a block's threads.
template <class Real>
__device__ __forceinline__ RatesOfCells<Real> advance_unprojected(
    const UnprojectedArguments<Real>& arguments, const StageFactorsOnGpu<Real>& stage,
    const AdvanceTiles::Tile& tile) {
  using Schedule = ProjectingSchedule<Real>;
  constexpr AdvanceShape shape = Schedule::shape;
  const int(&cells)[3] = arguments.advance.flow.cells;
  const int first_j = tile.row * advance_rows;
  const int first_k = tile.column * shape.columns;
  const int j = first_j + static_cast<int>(threadIdx.y);
  const int k = first_k + static_cast<int>(threadIdx.x) * Schedule::cells;
  if (first_j > 0 && first_j + advance_rows < cells[1] && first_k > 0 &&
      first_k + shape.columns < cells[2]) {
    return advance_unprojected<WithinEnds>(arguments, stage, tile.slab, j, k);
  }
  if (j < cells[1] && k < cells[2]) {
    return advance_unprojected<AroundEnds>(arguments, stage, tile.slab, j, k);
  }
  return {};
}

template <class Real>
__global__ void __launch_bounds__(advance_threads, ProjectingSchedule<Real>::shape.blocks)
    advance_unprojected_kernel(const __grid_constant__ UnprojectedArguments<Real> arguments,
                               const __grid_constant__ AdvanceTiles tiles) {
  const RatesOfCells<Real> largest =
      advance_unprojected(arguments, *arguments.advance.stage, tiles.tile(blockIdx.x));
  raise_to_largest({arguments.advance.largest_buoyancy, arguments.largest_advection},
                   {static_cast<double>(largest.buoyancy), static_cast<double>(largest.advection)});
}

/// The same once more by a few blocks if amend(stage), which one thread of each calls, finds that
/// the stage was another one, and says which.
template <class Real, class Amend>
__global__ void __launch_bounds__(advance_threads, ProjectingSchedule<Real>::shape.blocks)
    amend_unprojected_kernel(const __grid_constant__ UnprojectedArguments<Real> arguments,
                             const __grid_constant__ AdvanceTiles tiles,
                             const __grid_constant__ Amend amend) {
  __shared__ StageFactorsOnGpu<Real> stage;
  __shared__ bool is_another;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    is_another = amend(stage);
  }
  __syncthreads();
  if (!is_another) {
    return;
  }
  const unsigned count = tiles.count();
  for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x) {
    advance_unprojected(arguments, stage, tiles.tile(tile));
  }
}

}  // namespace bankfull::convection::detail
