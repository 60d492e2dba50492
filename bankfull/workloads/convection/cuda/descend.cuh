#pragma once

#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/descent_tile.hpp"

#include <cstdint>

namespace bankfull::convection {

template <class Real>
struct DescentArguments {
  FlowOnGpu<Real> flow;
  int fields;
  Real* next;                      ///< eliminated, becomes the solution
  const Real* start;               ///< what is added to solutions; null: nothing
  const LineFactors<Real>* lines;  ///< of all fields in each plane
  TileEdges<Real> edges;
  poisson::CellSlots<Real> right_side;
};

namespace detail {

template <class Real>
struct KeepRowEdges {
  TileEdges<Real> edges;
  const Real* velocity;
  FlowStrides strides;

  __device__ void operator()(std::int64_t i, std::int64_t tile, std::int64_t k) const {
    edges.row(i, static_cast<int>(tile), static_cast<int>(k)) =
        velocity[i * strides.plane + tile * DescentTile::rows * strides.row + k];
  }
};

template <class Real>
struct KeepColumnEdges {
  TileEdges<Real> edges;
  const Real* velocity;
  FlowStrides strides;

  __device__ void operator()(std::int64_t i, std::int64_t tile, std::int64_t j) const {
    edges.column(i, static_cast<int>(tile), static_cast<int>(j)) =
        velocity[i * strides.plane + j * strides.row + tile * DescentTile::columns];
  }
};

/// The way down of one column of a tile and, where it lies at an edge, of two velocities of the
/// columns beyond.
template <InPlane Widths, class Real>
class DescendingColumn {
 public:
  static constexpr int planes = DescentTile::planes;

  __device__ DescendingColumn(const DescentArguments<Real>& arguments, int j, int k)
      : arguments_(arguments),
        at_(j * arguments.flow.strides.row + k),
        j_(j),
        k_(k),
        row_above_(EdgeNeighbour::of(j, arguments.flow.cells[1], DescentTile::rows,
                                     arguments.flow.walls.walled[1])),
        column_above_(EdgeNeighbour::of(k, arguments.flow.cells[2], DescentTile::columns,
                                        arguments.flow.walls.walled[2])) {}

  /// Planes `top`, top - 1, ... as they were eliminated.
  __device__ void load(int top) {
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const int i = top - p;
      if (i >= 0) {
#pragma unroll
        for (int n = 0; n < 3; ++n) {
          velocity_[p][n] = __ldcs(arguments_.next + offset(i) + n * field());
        }
        beyond_row_[p] = row_above_.is_kept()
                             ? arguments_.edges.row(i, row_above_.index / DescentTile::rows, k_)
                             : Real(0);
        beyond_column_[p] =
            column_above_.is_kept()
                ? arguments_.edges.column(i, column_above_.index / DescentTile::columns, j_)
                : Real(0);
      }
    }
  }

  __device__ void substitute(int top) {
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const int i = top - p;
      if (i >= 0) {
        const LineFactors<Real>* const lines = arguments_.lines + i * arguments_.fields;
#pragma unroll
        for (int n = 0; n < 3; ++n) {
          solution_[n] = substituted(lines[n], velocity_[p][n], solution_[n]);
          velocity_[p][n] = solution_[n] + started(offset(i) + n * field());
          arguments_.next[offset(i) + n * field()] = velocity_[p][n];
        }
        beyond_row_[p] = solved_beyond(lines[1], beyond_row_[p], row_above_, solution_beyond_row_,
                                       offset_of(i, row_above_.index, k_) + field());
        beyond_column_[p] =
            solved_beyond(lines[2], beyond_column_[p], column_above_, solution_beyond_column_,
                          offset_of(i, j_, column_above_.index) + 2 * field());
      }
    }
  }

  [[nodiscard]] __device__ Real along_rows(int p) const { return velocity_[p][1]; }
  [[nodiscard]] __device__ Real along_columns(int p) const { return velocity_[p][2]; }

  /// Of plane top - p; `row` and `column` are velocities in the next row and cell, of the tile.
  __device__ void diverge(int top, int p, Real row, Real column) {
    const FlowOnGpu<Real>& flow = arguments_.flow;
    const int i = top - p;
    const Real per_cell[2] = {flow.planes[i].per_cell,
                              flow.template row_metric<Widths>(j_).per_cell};
    const Real above[3] = {plane_above_, row_above_.outside ? beyond_row_[p] : row,
                           column_above_.outside ? beyond_column_[p] : column};
    arguments_.right_side(i, j_, k_) = divergence_between(
        per_cell, flow.template column_metric<Widths>(k_).per_cell, velocity_[p], above);
    plane_above_ = velocity_[p][0];
  }

 private:
  [[nodiscard]] __device__ std::int64_t field() const { return arguments_.flow.strides.field; }
  [[nodiscard]] __device__ std::int64_t offset(int i) const {
    return i * arguments_.flow.strides.plane + at_;
  }
  [[nodiscard]] __device__ std::int64_t offset_of(int i, int j, int k) const {
    return i * arguments_.flow.strides.plane + j * arguments_.flow.strides.row + k;
  }
  [[nodiscard]] __device__ Real started(std::int64_t at) const {
    return arguments_.start == nullptr ? Real(0) : arguments_.start[at];
  }
  [[nodiscard]] __device__ Real solved_beyond(const LineFactors<Real>& factors, Real eliminated,
                                              const EdgeNeighbour& neighbour, Real& solution,
                                              std::int64_t at) const {
    if (!neighbour.is_kept()) {
      return Real(0);
    }
    solution = substituted(factors, eliminated, solution);
    return solution + started(at);
  }

  const DescentArguments<Real>& arguments_;
  std::int64_t at_;
  int j_;
  int k_;
  EdgeNeighbour row_above_;
  EdgeNeighbour column_above_;
  Real velocity_[planes][3] = {};
  Real beyond_row_[planes] = {};
  Real beyond_column_[planes] = {};
  Real solution_[3] = {};
  Real solution_beyond_row_ = 0;
  Real solution_beyond_column_ = 0;
  Real plane_above_ = 0;  ///< velocity 0 on the upper face: on the wall first
};

/// Velocities the way down, and their divergence.
template <InPlane Widths, class Real>
__device__ void descend_velocity(const DescentArguments<Real>& arguments, int j, int k) {
  constexpr int planes = DescentTile::planes;
  // Two of them: a block that is ahead fills one while the other is read.
  __shared__ Real rows[2][planes][DescentTile::rows][DescentTile::columns];
  const bool inside = j < arguments.flow.cells[1] && k < arguments.flow.cells[2];
  DescendingColumn<Widths, Real> column(arguments, j, k);
  int turn = 0;
  for (int top = arguments.flow.cells[0] - 1; top >= 0; top -= planes) {
    if (inside) {
      column.load(top);
      column.substitute(top);
    }
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      rows[turn][p][threadIdx.y][threadIdx.x] = column.along_rows(p);
    }
    __syncthreads();
    const unsigned next_row = min(threadIdx.y + 1, DescentTile::rows - 1U);
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const Real next_cell = __shfl_down_sync(~0U, column.along_columns(p), 1);
      if (inside && top - p >= 0) {
        column.diverge(top, p, rows[turn][p][next_row][threadIdx.x], next_cell);
      }
    }
    turn = 1 - turn;
  }
}

/// A scalar the way down.
template <class Real>
__device__ void descend_scalar(const DescentArguments<Real>& arguments, int field, int j, int k) {
  constexpr int planes = 8;
  const FlowStrides& strides = arguments.flow.strides;
  if (j >= arguments.flow.cells[1] || k >= arguments.flow.cells[2]) {
    return;
  }
  const std::int64_t at = field * strides.field + j * strides.row + k;
  Real solution = Real(0);
  for (int top = arguments.flow.cells[0] - 1; top >= 0; top -= planes) {
    Real values[planes];
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      values[p] = top >= p ? __ldcs(arguments.next + at + (top - p) * strides.plane) : Real(0);
    }
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const int i = top - p;
      if (i >= 0) {
        const std::int64_t to = at + i * strides.plane;
        const LineFactors<Real>& factors = arguments.lines[i * arguments.fields + field];
        solution = substituted(factors, values[p], solution);
        arguments.next[to] = arguments.start == nullptr ? solution : solution + arguments.start[to];
      }
    }
  }
}

template <InPlane Widths, class Real>
__global__ void __launch_bounds__(DescentTile::columns* DescentTile::rows, 2)
    descend_kernel(const __grid_constant__ DescentArguments<Real> arguments) {
  const auto k = static_cast<int>(blockIdx.x * DescentTile::columns + threadIdx.x);
  const auto j = static_cast<int>(blockIdx.y * DescentTile::rows + threadIdx.y);
  if (blockIdx.z == 0) {
    descend_velocity<Widths>(arguments, j, k);
  } else {
    descend_scalar(arguments, 2 + static_cast<int>(blockIdx.z), j, k);
  }
}

}  // namespace detail

/// Queues the way down of columns that were eliminated along the planes, and right side = div u.
template <class Real>
void queue_descent(const Stream& stream, const DescentArguments<Real>& arguments) {
  const FlowOnGpu<Real>& flow = arguments.flow;
  const int(&cells)[3] = flow.cells;
  const TileEdges<Real>& edges = arguments.edges;
  const Real* const next = arguments.next;
  for_each(stream, Box{0, cells[0], 0, edges.row_tiles(), 0, cells[2]},
           detail::KeepRowEdges<Real>{edges, next + flow.strides.field, flow.strides});
  for_each(stream, Box{0, cells[0], 0, edges.column_tiles(), 0, cells[1]},
           detail::KeepColumnEdges<Real>{edges, next + 2 * flow.strides.field, flow.strides});
  const dim3 blocks(static_cast<unsigned>(edges.column_tiles()),
                    static_cast<unsigned>(edges.row_tiles()),
                    static_cast<unsigned>(1 + arguments.fields - 3));
  launch(stream, {blocks, dim3(DescentTile::columns, DescentTile::rows)},
         flow.widths == InPlane::uniform ? detail::descend_kernel<InPlane::uniform, Real>
                                         : detail::descend_kernel<InPlane::stretched, Real>,
         arguments);
}

}  // namespace bankfull::convection
