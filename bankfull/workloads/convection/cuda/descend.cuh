#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/projection.cuh"

#include <cstdint>

namespace bankfull::convection {

/// Columns during back substitution: what was eliminated along the planes, and the factors that
/// turn it into a solution.
template <class Real>
struct ColumnsOnGpu {
  Real* values;                    ///< of all fields, eliminated
  const Real* start;               ///< what is added to solutions; null: nothing
  const LineFactors<Real>* lines;  ///< of all fields in each plane
  int fields;

  /// Constant as long as a kernel runs: stores elsewhere do not make it load them again.
  [[nodiscard]] __device__ __forceinline__ Real back(int i, int field) const {
    return __ldg(&lines[i * fields + field].back);
  }
  [[nodiscard]] __device__ __forceinline__ Real started(std::int64_t at) const {
    return start == nullptr ? Real(0) : __ldg(start + at);
  }
};

namespace detail {

inline constexpr int descent_columns = 64;
inline constexpr int descent_rows = 4;

/// The way down of the three velocities of a column, which stay as they are: a thread also goes
/// down the next column and the next row, whose values its divergence needs, so that none waits for
/// another. The projection goes down again.
template <InPlane Widths, class Real>
__device__ __forceinline__ void diverge_column(const FlowOnGpu<Real>& flow,
                                               const ColumnsOnGpu<Real>& columns,
                                               const poisson::CellSlots<Real>& right_side, int j,
                                               int k) {
  constexpr int planes = 1;  // at a time: so many loads are under way
  constexpr int followed = 5;
  constexpr int fields[followed] = {0, 1, 2, 1, 2};
  const FlowStrides& strides = flow.strides;
  const int last = flow.cells[0] - 1;
  const bool has_row_above = j + 1 < flow.cells[1] || flow.walls.goes_on[1][1];
  const std::int64_t row_above = (has_row_above ? 1 : -j) * strides.row;
  const std::int64_t column_above = next_index(k, flow.cells[2]) - k;
  const std::int64_t from_here[followed] = {0, strides.field, 2 * strides.field,
                                            strides.field + row_above,
                                            2 * strides.field + column_above};
  const bool exists[followed] = {true, true, true, has_row_above || !flow.walls.walled[1],
                                 k + 1 < flow.cells[2] || !flow.walls.walled[2]};
  const Real per_row = flow.template row_metric<Widths>(j).per_cell;
  const Real per_column = flow.template column_metric<Widths>(k).per_cell;
  std::int64_t here = last * strides.plane + j * strides.row + k;
  Real* out = &right_side(last, j, k);
  Real solution[followed] = {};
  Real plane_above = Real(0);  // velocity 0 on the upper wall
  for (int top = last; top >= 0; top -= planes) {
    Real eliminated[planes][followed];
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const Real* const column = columns.values + here - (top >= p ? p * strides.plane : 0);
#pragma unroll
      for (int n = 0; n < followed; ++n) {
        eliminated[p][n] = exists[n] ? __ldg(column + from_here[n]) : Real(0);
      }
    }
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const int i = top - p;
      if (i >= 0) {
        Real velocity[followed];
#pragma unroll
        for (int n = 0; n < followed; ++n) {
          const LineFactors<Real> factors{.back = columns.back(i, fields[n])};
          solution[n] = substituted(factors, eliminated[p][n], solution[n]);
          velocity[n] = exists[n] ? solution[n] + columns.started(here + from_here[n]) : Real(0);
        }
        const Real per_cell[2] = {__ldg(&flow.planes[i].per_cell), per_row};
        const Real lower[3] = {velocity[0], velocity[1], velocity[2]};
        const Real upper[3] = {plane_above, velocity[3], velocity[4]};
        *out = divergence_between(per_cell, per_column, lower, upper);
        plane_above = velocity[0];
        here -= strides.plane;
        out -= right_side.plane_pitch;
      }
    }
  }
}

/// A scalar the way down.
template <class Real>
__device__ __forceinline__ void descend_scalar(const FlowOnGpu<Real>& flow,
                                               const ColumnsOnGpu<Real>& columns, int field, int j,
                                               int k) {
  constexpr int planes = 8;
  const std::int64_t at = field * flow.strides.field + j * flow.strides.row + k;
  Real solution = Real(0);
  for (int top = flow.cells[0] - 1; top >= 0; top -= planes) {
    Real eliminated[planes];
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      eliminated[p] =
          top >= p ? __ldcs(columns.values + at + (top - p) * flow.strides.plane) : Real(0);
    }
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const int i = top - p;
      if (i >= 0) {
        const std::int64_t to = at + i * flow.strides.plane;
        const LineFactors<Real> factors{.back = columns.back(i, field)};
        solution = substituted(factors, eliminated[p], solution);
        __stcs(columns.values + to, solution + columns.started(to));
      }
    }
  }
}

/// Blocks in z: velocities, then each scalar.
template <InPlane Widths, class Real>
__global__ void __launch_bounds__(descent_columns* descent_rows, 4)
    descend_kernel(const __grid_constant__ FlowOnGpu<Real> flow,
                   const __grid_constant__ ColumnsOnGpu<Real> columns,
                   const __grid_constant__ poisson::CellSlots<Real> right_side) {
  const auto k = static_cast<int>(blockIdx.x * descent_columns + threadIdx.x);
  const auto j = static_cast<int>(blockIdx.y * descent_rows + threadIdx.y);
  if (j >= flow.cells[1] || k >= flow.cells[2]) {
    return;
  }
  if (blockIdx.z == 0) {
    diverge_column<Widths>(flow, columns, right_side, j, k);
  } else {
    descend_scalar(flow, columns, 2 + static_cast<int>(blockIdx.z), j, k);
  }
}

/// The projection of a column during back substitution of its velocities, the loads of `Planes`
/// planes under way at a time. Its ends are at walls.
template <int Planes, InPlane Widths, class Real>
__device__ __forceinline__ void project_column(const ProjectAndKeep<Widths, Real>& body,
                                               const ColumnsOnGpu<Real>& columns, int j, int k,
                                               typename Project<Widths, Real>::Column& column) {
  const FlowOnGpu<Real>& flow = body.project.flow;
  const poisson::CellSlots<Real>& slots = body.project.pressure;
  const int top = flow.cells[0] - 1;
  const Real* potential = &slots(top, j, k);
  const std::int64_t behind[2] = {&slots(top, body.project.before(j, 1), k) - potential,
                                  &slots(top, j, body.project.before(k, 2)) - potential};
  auto cell = CellOfFlow::of(flow, top, j, k);
  Real solution[3] = {};
  Real here = __ldg(potential);
  Real above = here;
  while (cell.i >= 0) {
    // All loads before the first store: compilers must take that for a change of the rest.
    Real eliminated[Planes][3];
    Real pressure[Planes];
    Real below[Planes][3];
#pragma unroll
    for (int p = 0; p < Planes; ++p) {
      const int down = min(p, cell.i);
      const std::int64_t at = cell.at - down * flow.strides.plane;
      const Real* const q = potential - down * slots.plane_pitch;
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        eliminated[p][n] = columns.values[at + n * flow.strides.field];
      }
      pressure[p] = body.kept.values[at];
      below[p][0] = __ldg(q - (down < cell.i ? slots.plane_pitch : 0));
      below[p][1] = __ldg(q + behind[0]);
      below[p][2] = __ldg(q + behind[1]);
    }
#pragma unroll
    for (int p = 0; p < Planes; ++p) {
      if (cell.i >= 0) {
        Real velocity[3];
#pragma unroll
        for (int n = 0; n < 3; ++n) {
          const LineFactors<Real> factors{.back = columns.back(cell.i, n)};
          solution[n] = substituted(factors, eliminated[p][n], solution[n]);
          velocity[n] = solution[n] + columns.started(cell.at + n * flow.strides.field);
        }
        body.take(cell, velocity, pressure[p], {here, {below[p][0], below[p][1], below[p][2]}},
                  body.difference(flow.planes[cell.i], here, below[p][0], above), column);
        above = here;
        here = below[p][0];
        --cell.i;
        cell.at -= flow.strides.plane;
        potential -= slots.plane_pitch;
      }
    }
  }
}

template <int Planes, int Blocks, InPlane Widths, class Real>
__global__ void __launch_bounds__(descent_columns* descent_rows, Blocks)
    project_columns_kernel(const __grid_constant__ ProjectAndKeep<Widths, Real> body,
                           const __grid_constant__ ColumnsOnGpu<Real> columns) {
  const auto k = static_cast<int>(blockIdx.x * descent_columns + threadIdx.x);
  const auto j = static_cast<int>(blockIdx.y * descent_rows + threadIdx.y);
  typename Project<Widths, Real>::Column column;
  if (j < body.project.flow.cells[1] && k < body.project.flow.cells[2]) {
    project_column<Planes>(body, columns, j, k, column);
  }
  body.end(column);
}

/// Four blocks on a multiprocessor, each with the loads of one plane under way, take a tenth less
/// time than two with those of four planes (H200, fp64, 512^3), where there are so many.
template <InPlane Widths, class Real>
auto project_kernel_for(int blocks, int multiprocessors) {
  return blocks > 2 * multiprocessors ? project_columns_kernel<1, 4, Widths, Real>
                                      : project_columns_kernel<4, 2, Widths, Real>;
}

inline dim3 blocks_of_columns(const int (&cells)[3], int fields) {
  const auto blocks = [](int count, int of) {
    return static_cast<unsigned>((count + of - 1) / of);
  };
  return {blocks(cells[2], descent_columns), blocks(cells[1], descent_rows),
          static_cast<unsigned>(fields)};
}

}  // namespace detail

/// Queues right side = div u of velocities whose columns were eliminated along the planes, and the
/// way down of all scalars.
template <class Real>
void queue_descent(const Stream& stream, const FlowOnGpu<Real>& flow,
                   const ColumnsOnGpu<Real>& columns, const poisson::CellSlots<Real>& right_side) {
  launch(stream,
         {detail::blocks_of_columns(flow.cells, 1 + columns.fields - 3),
          dim3(detail::descent_columns, detail::descent_rows)},
         flow.widths == InPlane::uniform ? detail::descend_kernel<InPlane::uniform, Real>
                                         : detail::descend_kernel<InPlane::stretched, Real>,
         flow, columns, right_side);
}

/// Queues the way down of these velocities, u -= grad p, and what a projection after a stage with
/// implicit diffusion does beside it.
template <class Real>
void queue_projection(const Stream& stream, const FlowOnGpu<Real>& flow,
                      const ColumnsOnGpu<Real>& columns, const poisson::CellSlots<Real>& pressure,
                      double* largest_advection, const KeptPressure<Real>& kept) {
  const dim3 blocks = detail::blocks_of_columns(flow.cells, 1);
  const auto queue = [&]<InPlane Widths>() {
    launch(stream, {blocks, dim3(detail::descent_columns, detail::descent_rows)},
           detail::project_kernel_for<Widths, Real>(static_cast<int>(blocks.x * blocks.y),
                                                    multiprocessors_of(stream.device())),
           detail::ProjectAndKeep<Widths, Real>{{flow, columns.values, pressure, largest_advection},
                                                kept},
           columns);
  };
  flow.widths == InPlane::uniform ? queue.template operator()<InPlane::uniform>()
                                  : queue.template operator()<InPlane::stretched>();
}

}  // namespace bankfull::convection
