#pragma once

#include "bankfull/core/exec/largest.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cuda/cells.cuh"
#include "bankfull/workloads/convection/cuda/flow.cuh"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace bankfull::convection {

/// The pressure that stages with implicit diffusion know of.
template <class Real>
struct KeptPressure {
  const ImplicitFactors<Real>* stage;
  Real* values;  ///< at cell (0, 0, 0), with the strides of fields
  bool implicit_along[3];
};

/// Planes of a block that a pass takes: first, first + step, ... Blocks of ranks take their outer
/// planes first, then the others.
struct PlanesOfBlock {
  int first = 0;
  int count = 0;
  int step = 1;
};

namespace detail {

inline constexpr int thin_columns = 64;
inline constexpr int thin_rows = 4;

/// Calls body(i, j, k, column) for all cells of some planes: a thread follows a column through
/// `Planes` of them, so that several loads are under way at a time. At the end all threads of a
/// block call body.end(column).
template <int Planes, class Body>
__global__ void __launch_bounds__(thin_columns* thin_rows)
    thin_kernel(const __grid_constant__ PlanesOfBlock planes, int rows, int columns,
                const __grid_constant__ Body body) {
  const int k = static_cast<int>(blockIdx.x) * thin_columns + static_cast<int>(threadIdx.x);
  const int j = static_cast<int>(blockIdx.y) * thin_rows + static_cast<int>(threadIdx.y);
  typename Body::Column column;
  if (k < columns && j < rows) {
    const int first = static_cast<int>(blockIdx.z) * Planes;
    const int last = min(planes.count, first + Planes);
#pragma unroll 4
    for (int n = first; n < last; ++n) {
      body(planes.first + n * planes.step, j, k, column);
    }
  }
  body.end(column);
}

template <int Planes, class Body>
void queue_thin(const Stream& stream, const PlanesOfBlock& planes, const int (&cells)[3],
                const dim3& columns, const Body& body) {
  const dim3 blocks(columns.x, columns.y,
                    static_cast<unsigned>((planes.count + Planes - 1) / Planes));
  launch(stream, {blocks, dim3(thin_columns, thin_rows)}, thin_kernel<Planes, Body>, planes,
         cells[1], cells[2], body);
}

/// Threads follow columns where they fill the GPU even so.
template <class Body>
void queue_thin(const Stream& stream, const PlanesOfBlock& planes, const int (&cells)[3],
                const Body& body) {
  if (planes.count == 0) {
    return;
  }
  constexpr int planes_per_thread = 8;
  constexpr int blocks_per_multiprocessor = 2;
  const auto blocks = [](int count, int of) {
    return static_cast<unsigned>((count + of - 1) / of);
  };
  const dim3 columns(blocks(cells[2], thin_columns), blocks(cells[1], thin_rows));
  const unsigned slabs = blocks(planes.count, planes_per_thread);
  const auto filling =
      static_cast<unsigned>(blocks_per_multiprocessor * multiprocessors_of(stream.device()));
  if (columns.x * columns.y * slabs >= filling) {
    queue_thin<planes_per_thread>(stream, planes, cells, columns, body);
  } else {
    queue_thin<1>(stream, planes, cells, columns, body);
  }
}

/// The next row or column of cells, around the end of an axis.
__device__ __forceinline__ int next_index(int index, int count) {
  return index + 1 < count ? index + 1 : 0;
}

/// Field A on the upper face of a cell along A. Ghosts are not yet in place, except for those of
/// other ranks: beyond the last cell lies the first again, or a wall.
template <int A, class Real>
__device__ __forceinline__ Real upper_face(const FlowOnGpu<Real>& flow, const Real* velocity,
                                           int index) {
  const std::int64_t step = flow.strides.template along<A>();
  if (index + 1 < flow.cells[A] || flow.walls.goes_on[A][1]) {
    return __ldg(velocity + step);
  }
  return flow.walls.walled[A] ? Real(0) : __ldg(velocity - index * step);
}

template <InPlane Widths, class Real>
struct FindDivergence {
  struct Column {};

  FlowOnGpu<Real> flow;
  const Real* fields;
  poisson::CellSlots<Real> right_side;

  __device__ void operator()(int i, int j, int k, Column& /*column*/) const {
    const std::int64_t field = flow.strides.field;
    const Real* const u = fields + flow.offset(i, j, k);
    right_side(i, j, k) = flow.planes[i].per_cell * (upper_face<0>(flow, u, i) - __ldg(u)) +
                          flow.template row_metric<Widths>(j).per_cell *
                              (upper_face<1>(flow, u + field, j) - __ldg(u + field)) +
                          flow.template column_metric<Widths>(k).per_cell *
                              (upper_face<2>(flow, u + 2 * field, k) - __ldg(u + 2 * field));
  }

  __device__ void end(const Column& /*column*/) const {}
};

struct CellOfFlow {
  int i;
  int j;
  int k;
  std::int64_t at;  ///< from the first cell, in each field

  template <class Real>
  __device__ __forceinline__ static CellOfFlow of(const FlowOnGpu<Real>& flow, int i, int j,
                                                  int k) {
    return {i, j, k, flow.offset(i, j, k)};
  }
};

/// On the lower faces of a cell.
template <class Real>
struct VelocityOfCell {
  Real along[3];
};

/// A projection's pressure in a cell and in the three behind it.
template <class Real>
struct PotentialBehind {
  Real here;
  Real below[3];
};

template <InPlane Widths, class Real>
struct Project {
  struct Column {
    Real largest = Real(0);  ///< advective_rate
  };

  FlowOnGpu<Real> flow;
  Real* fields;
  poisson::CellSlots<Real> pressure;
  double* largest_advection;  ///< raised to the largest advective_rate

  __device__ void operator()(int i, int j, int k, Column& column) const {
    const auto cell = CellOfFlow::of(flow, i, j, k);
    const std::int64_t field = flow.strides.field;
    const Real* const u = fields + cell.at;
    const Real velocity[3] = {u[0], u[field], u[2 * field]};
    take(cell, velocity, behind(cell), column);
  }

  /// Takes a cell that has this velocity.
  __device__ __forceinline__ void take(const CellOfFlow& cell, const Real (&velocity)[3],
                                       const PotentialBehind<Real>& potential,
                                       Column& column) const {
    Real* const u = fields + cell.at;
    const VelocityOfCell<Real> projected = this->projected(cell, velocity, potential, column);
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      u[n * flow.strides.field] = projected.along[n];
    }
  }

  __device__ __forceinline__ VelocityOfCell<Real> projected(const CellOfFlow& cell,
                                                            const Real (&velocity)[3],
                                                            const PotentialBehind<Real>& potential,
                                                            Column& column) const {
    const AxisMetric<Real> axis[3] = {flow.planes[cell.i], flow.template row_metric<Widths>(cell.j),
                                      flow.template column_metric<Widths>(cell.k)};
    Real along[3];
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      along[n] =
          projected_velocity(velocity[n], axis[n].per_face, potential.here, potential.below[n]);
    }
    const VelocityOfCell<Real> result{{flow.walls.template holds<0>(cell.i) ? Real(0) : along[0],
                                       flow.walls.template holds<1>(cell.j) ? Real(0) : along[1],
                                       flow.walls.template holds<2>(cell.k) ? Real(0) : along[2]}};
    column.largest = larger(advective_rate(axis, result.along[0], result.along[1], result.along[2]),
                            column.largest);
    return result;
  }

  __device__ void end(const Column& column) const {
    raise_to_largest(largest_advection, static_cast<double>(column.largest));
  }

  __device__ Real at(int i, int j, int k) const { return __ldg(&pressure(i, j, k)); }

  __device__ PotentialBehind<Real> behind(const CellOfFlow& cell) const {
    const auto [i, j, k, unused] = cell;
    return {at(i, j, k), {at(before(i, 0), j, k), at(i, before(j, 1), k), at(i, j, before(k, 2))}};
  }

  __device__ int before(int index, int axis) const {
    return index == 0 && !flow.walls.goes_on[axis][0] ? flow.cells[axis] - 1 : index - 1;
  }
};

/// Cells of a row that a thread takes together where it can: what one instruction moves.
template <class Real>
inline constexpr int projected_together = 16 / static_cast<int>(sizeof(Real));

inline constexpr int projection_threads = 256;

/// The same of cells (i, j, k) to (i, j, k + N - 1), with the pressure in the plane below; returns
/// that in plane i.
template <int N, class Real>
__device__ __forceinline__ Cells<Real, N> project_cells(
    const Project<InPlane::uniform, Real>& project, int i, int j, int k,
    const Cells<Real, N>& below, typename Project<InPlane::uniform, Real>::Column& column) {
  const auto& [flow, fields, pressure, largest] = project;
  const auto cell = CellOfFlow::of(flow, i, j, k);
  const auto here = load_cells<N>(&pressure(i, j, k));
  const auto behind = load_cells<N>(&pressure(i, project.before(j, 1), k));
  Real beside = project.at(i, j, project.before(k, 2));
  Cells<Real, N> velocity[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    velocity[axis] = load_own_cells<N>(fields + cell.at + axis * flow.strides.field);
  }
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const VelocityOfCell<Real> projected = project.projected(
        {i, j, k + n, cell.at + n}, {velocity[0].of[n], velocity[1].of[n], velocity[2].of[n]},
        {here.of[n], {below.of[n], behind.of[n], beside}}, column);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      velocity[axis].of[n] = projected.along[axis];
    }
    beside = here.of[n];
  }
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    store_cells(fields + cell.at + axis * flow.strides.field, velocity[axis]);
  }
  return here;
}

/// Threads that each project N cells of a row through the planes of a slab.
template <int N, class Real>
__global__ void __launch_bounds__(projection_threads, 4)
    project_cells_kernel(const __grid_constant__ PlanesOfBlock planes, int slab,
                         const __grid_constant__ Project<InPlane::uniform, Real> project) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * N;
  const int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  typename Project<InPlane::uniform, Real>::Column column;
  if (k < project.flow.cells[2] && j < project.flow.cells[1]) {
    const int first = planes.first + static_cast<int>(blockIdx.z) * slab;
    const int last = min(planes.first + planes.count, first + slab);
    auto below = load_cells<N>(&project.pressure(project.before(first, 0), j, k));
    for (int i = first; i < last; ++i) {
      below = project_cells(project, i, j, k, below, column);
    }
  }
  project.end(column);
}

/// Planes of a slab, which reads the pressure in one more. Two lie together in memory; where all
/// blocks run at the same time anyway, as many as leave two blocks for each multiprocessor.
inline int projection_planes(int planes, unsigned columns, int multiprocessors) {
  constexpr int most = 8;
  const int wanted = 2 * multiprocessors;
  constexpr int most_slabs = 65535;  // of a grid of blocks
  const auto filling =
      static_cast<int>(std::int64_t{planes} * static_cast<std::int64_t>(columns) / wanted);
  const int chosen = filling > most ? 2 : std::max(1, filling);
  return std::max(chosen, (planes + most_slabs - 1) / most_slabs);
}

template <int N, class Real>
void queue_project_cells(const Stream& stream, const PlanesOfBlock& planes,
                         const Project<InPlane::uniform, Real>& project) {
  const auto blocks = [](int count, unsigned of) {
    return (static_cast<unsigned>(count) + of - 1) / of;
  };
  const int(&cells)[3] = project.flow.cells;
  const unsigned groups = blocks(cells[2], N);
  const dim3 block(std::min(32U, std::bit_ceil(groups)),
                   projection_threads / std::min(32U, std::bit_ceil(groups)));
  const dim3 columns(blocks(static_cast<int>(groups), block.x), blocks(cells[1], block.y));
  const int slab =
      projection_planes(planes.count, columns.x * columns.y, multiprocessors_of(stream.device()));
  launch(stream,
         {dim3(columns.x, columns.y, blocks(planes.count, static_cast<unsigned>(slab))), block},
         project_cells_kernel<N, Real>, planes, slab, project);
}

/// Several cells a thread where they lie together in memory.
template <class Real>
void queue_project(const Stream& stream, const PlanesOfBlock& planes,
                   const Project<InPlane::uniform, Real>& project) {
  constexpr int together = projected_together<Real>;
  if (planes.count > 0 && planes.step == 1 &&
      in_groups<together>(project.flow.cells[2], project.pressure)) {
    queue_project_cells<together>(stream, planes, project);
  } else {
    queue_thin(stream, planes, project.flow.cells, project);
  }
}

/// Also adds to the known pressure what the potential says of it.
template <InPlane Widths, class Real>
struct ProjectAndKeep {
  using Column = typename Project<Widths, Real>::Column;

  Project<Widths, Real> project;
  KeptPressure<Real> kept;

  __device__ void operator()(int i, int j, int k, Column& column) const {
    const FlowOnGpu<Real>& flow = project.flow;
    const auto cell = CellOfFlow::of(flow, i, j, k);
    // All loads before the first store: compilers must take that for a change of the rest.
    const Real* const u = project.fields + cell.at;
    const Real velocity[3] = {u[0], u[flow.strides.field], u[2 * flow.strides.field]};
    const Real pressure = kept.values[cell.at];
    const PotentialBehind<Real> potential = project.behind(cell);
    Real sum = Real(0);
    if (kept.implicit_along[0]) {
      sum = difference(flow.planes[i], potential.here, i > 0 ? potential.below[0] : potential.here,
                       i + 1 < flow.cells[0] ? project.at(i + 1, j, k) : potential.here);
    }
    take(cell, velocity, pressure, potential, sum, column);
  }

  /// Takes a cell that has this velocity and known pressure; the second difference of the potential
  /// along the planes counts where diffusion is implicit there.
  __device__ __forceinline__ void take(const CellOfFlow& cell, const Real (&velocity)[3],
                                       Real pressure, const PotentialBehind<Real>& potential,
                                       Real difference_along_planes, Column& column) const {
    const FlowOnGpu<Real>& flow = project.flow;
    const auto [i, j, k, at] = cell;
    const Real here = potential.here;
    Real sum = difference_along_planes;
    if (kept.implicit_along[1]) {
      sum = sum + difference(flow.template row_metric<Widths>(j), here,
                             j > 0 ? potential.below[1] : here,
                             j + 1 < flow.cells[1] ? project.at(i, j + 1, k) : here);
    }
    if (kept.implicit_along[2]) {
      sum = sum + difference(flow.template column_metric<Widths>(k), here,
                             k > 0 ? potential.below[2] : here,
                             k + 1 < flow.cells[2] ? project.at(i, j, k + 1) : here);
    }
    const Real known = with_potential(*kept.stage, here, sum, pressure);
    project.take(cell, velocity, potential, column);
    kept.values[at] = known;
  }

  __device__ void end(const Column& column) const { project.end(column); }

  /// The second difference of the potential along an axis between walls, through which it has none.
  __device__ static Real difference(const AxisMetric<Real>& metric, Real here, Real below,
                                    Real above) {
    const auto weights = NeighbourWeights<Real>::of(metric, false);
    return plus_product(weights.below, below - here, weights.above * (above - here));
  }
};

}  // namespace detail

template <class Real>
PlanesOfBlock all_planes(const FlowOnGpu<Real>& flow) {
  return {.first = 0, .count = flow.cells[0]};
}

/// Queues right side = div u in some planes.
template <class Real>
void queue_divergence(const Stream& stream, const PlanesOfBlock& planes,
                      const FlowOnGpu<Real>& flow, const Real* fields,
                      const poisson::CellSlots<Real>& right_side) {
  using detail::FindDivergence;
  flow.widths == InPlane::uniform
      ? detail::queue_thin(stream, planes, flow.cells,
                           FindDivergence<InPlane::uniform, Real>{flow, fields, right_side})
      : detail::queue_thin(stream, planes, flow.cells,
                           FindDivergence<InPlane::stretched, Real>{flow, fields, right_side});
}

/// Queues u -= grad p in some planes, and raises `*largest_advection` to the largest
/// advective_rate.
template <class Real>
void queue_projection(const Stream& stream, const PlanesOfBlock& planes,
                      const FlowOnGpu<Real>& flow, Real* fields,
                      const poisson::CellSlots<Real>& pressure, double* largest_advection) {
  using detail::Project;
  flow.widths == InPlane::uniform
      ? detail::queue_project(
            stream, planes,
            Project<InPlane::uniform, Real>{flow, fields, pressure, largest_advection})
      : detail::queue_thin(
            stream, planes, flow.cells,
            Project<InPlane::stretched, Real>{flow, fields, pressure, largest_advection});
}

/// The same in all planes after a stage with implicit diffusion.
template <class Real>
void queue_projection(const Stream& stream, const FlowOnGpu<Real>& flow, Real* fields,
                      const poisson::CellSlots<Real>& pressure, double* largest_advection,
                      const KeptPressure<Real>& kept) {
  using detail::ProjectAndKeep;
  const PlanesOfBlock planes = all_planes(flow);
  flow.widths == InPlane::uniform
      ? detail::queue_thin(stream, planes, flow.cells,
                           ProjectAndKeep<InPlane::uniform, Real>{
                               {flow, fields, pressure, largest_advection}, kept})
      : detail::queue_thin(stream, planes, flow.cells,
                           ProjectAndKeep<InPlane::stretched, Real>{
                               {flow, fields, pressure, largest_advection}, kept});
}

}  // namespace bankfull::convection
