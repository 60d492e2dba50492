#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/projection.cuh"

#include <cstdint>

namespace bankfull::convection {

/// Columns on their way down: what was eliminated along the planes, and what makes it a solution.
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
  constexpr int planes = 2;  // at a time: so many loads are under way
  constexpr int followed = 5;
  constexpr int fields[followed] = {0, 1, 2, 1, 2};
  const std::int64_t here = j * flow.strides.row + k;
  const std::int64_t row_above = next_index(j, flow.cells[1]) * flow.strides.row + k;
  const std::int64_t column_above = j * flow.strides.row + next_index(k, flow.cells[2]);
  const std::int64_t at[followed] = {here, here + flow.strides.field, here + 2 * flow.strides.field,
                                     row_above + flow.strides.field,
                                     column_above + 2 * flow.strides.field};
  const bool exists[followed] = {true, true, true, j + 1 < flow.cells[1] || !flow.walls.walled[1],
                                 k + 1 < flow.cells[2] || !flow.walls.walled[2]};
  const Real per_row = flow.template row_metric<Widths>(j).per_cell;
  const Real per_column = flow.template column_metric<Widths>(k).per_cell;
  Real solution[followed] = {};
  Real plane_above = Real(0);  // velocity 0 on the upper wall
  for (int top = flow.cells[0] - 1; top >= 0; top -= planes) {
    Real eliminated[planes][followed];
#pragma unroll
    for (int p = 0; p < planes; ++p) {
#pragma unroll
      for (int n = 0; n < followed; ++n) {
        eliminated[p][n] = top >= p && exists[n]
                               ? __ldg(columns.values + at[n] + (top - p) * flow.strides.plane)
                               : Real(0);
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
          velocity[n] =
              exists[n] ? solution[n] + columns.started(at[n] + i * flow.strides.plane) : Real(0);
        }
        const Real per_cell[2] = {__ldg(&flow.planes[i].per_cell), per_row};
        const Real lower[3] = {velocity[0], velocity[1], velocity[2]};
        const Real upper[3] = {plane_above, velocity[3], velocity[4]};
        right_side(i, j, k) = divergence_between(per_cell, per_column, lower, upper);
        plane_above = velocity[0];
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

/// The projection of a column whose velocities are on their way down.
template <InPlane Widths, class Real>
__device__ __forceinline__ void project_column(const ProjectAndKeep<Widths, Real>& body,
                                               const ColumnsOnGpu<Real>& columns, int j, int k,
                                               typename Project<Widths, Real>::Column& column) {
  constexpr int planes = 4;
  const FlowOnGpu<Real>& flow = body.project.flow;
  const std::int64_t here = j * flow.strides.row + k;
  Real solution[3] = {};
  for (int top = flow.cells[0] - 1; top >= 0; top -= planes) {
    Real eliminated[planes][3];
    Real pressure[planes];
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const std::int64_t at = here + (top - p) * flow.strides.plane;
      const bool exists = top >= p;
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        eliminated[p][n] = exists ? columns.values[at + n * flow.strides.field] : Real(0);
      }
      pressure[p] = exists ? body.kept.values[at] : Real(0);
    }
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const int i = top - p;
      if (i >= 0) {
        Real velocity[3];
#pragma unroll
        for (int n = 0; n < 3; ++n) {
          const LineFactors<Real> factors{.back = columns.back(i, n)};
          solution[n] = substituted(factors, eliminated[p][n], solution[n]);
          velocity[n] =
              solution[n] + columns.started(here + i * flow.strides.plane + n * flow.strides.field);
        }
        body.take(i, j, k, velocity, pressure[p], column);
      }
    }
  }
}

template <InPlane Widths, class Real>
__global__ void __launch_bounds__(descent_columns* descent_rows, 2)
    project_columns_kernel(const __grid_constant__ ProjectAndKeep<Widths, Real> body,
                           const __grid_constant__ ColumnsOnGpu<Real> columns) {
  const auto k = static_cast<int>(blockIdx.x * descent_columns + threadIdx.x);
  const auto j = static_cast<int>(blockIdx.y * descent_rows + threadIdx.y);
  typename Project<Widths, Real>::Column column;
  if (j < body.project.flow.cells[1] && k < body.project.flow.cells[2]) {
    project_column(body, columns, j, k, column);
  }
  body.end(column);
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
  const auto queue = [&]<InPlane Widths>() {
    launch(stream,
           {detail::blocks_of_columns(flow.cells, 1),
            dim3(detail::descent_columns, detail::descent_rows)},
           detail::project_columns_kernel<Widths, Real>,
           detail::ProjectAndKeep<Widths, Real>{{flow, columns.values, pressure, largest_advection},
                                                kept},
           columns);
  };
  flow.widths == InPlane::uniform ? queue.template operator()<InPlane::uniform>()
                                  : queue.template operator()<InPlane::stretched>();
}

}  // namespace bankfull::convection
