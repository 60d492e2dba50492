#pragma once

#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"

#include <cstdint>

namespace bankfull::convection {

namespace detail {

/// Field A on the upper face of a cell along A. Ghosts are not yet in place: beyond the last cell
/// lies the first again, or a wall.
template <int A, class Real>
__device__ __forceinline__ Real upper_face(const FlowOnGpu<Real>& flow, const Real* velocity,
                                           int index) {
  const std::int64_t step = flow.strides.template along<A>();
  if (index + 1 < flow.cells[A]) {
    return velocity[step];
  }
  return flow.walls.walled[A] ? Real(0) : velocity[-index * step];
}

template <class Real>
struct FindDivergence {
  FlowOnGpu<Real> flow;
  const Real* fields;
  poisson::CellSlots<Real> right_side;

  __device__ void operator()(std::int64_t i64, std::int64_t j64, std::int64_t k64) const {
    const int i = static_cast<int>(i64);
    const int j = static_cast<int>(j64);
    const int k = static_cast<int>(k64);
    const std::int64_t field = flow.strides.field;
    const Real* const u = fields + i * flow.strides.plane + j * flow.strides.row + k;
    right_side(i, j, k) =
        flow.planes[i].per_cell * (upper_face<0>(flow, u, i) - u[0]) +
        flow.row.per_cell * (upper_face<1>(flow, u + field, j) - u[field]) +
        flow.column.per_cell * (upper_face<2>(flow, u + 2 * field, k) - u[2 * field]);
  }
};

template <class Real>
struct Project {
  FlowOnGpu<Real> flow;
  Real* fields;
  poisson::CellSlots<Real> pressure;

  __device__ void operator()(std::int64_t i64, std::int64_t j64, std::int64_t k64) const {
    const int i = static_cast<int>(i64);
    const int j = static_cast<int>(j64);
    const int k = static_cast<int>(k64);
    const std::int64_t field = flow.strides.field;
    Real* const u = fields + i * flow.strides.plane + j * flow.strides.row + k;
    const Real here = pressure(i, j, k);
    if (!flow.walls.template holds<0>(i)) {
      u[0] -= flow.planes[i].per_face * (here - pressure(before(i, 0), j, k));
    }
    if (!flow.walls.template holds<1>(j)) {
      u[field] -= flow.row.per_face * (here - pressure(i, before(j, 1), k));
    }
    if (!flow.walls.template holds<2>(k)) {
      u[2 * field] -= flow.column.per_face * (here - pressure(i, j, before(k, 2)));
    }
  }

  __device__ int before(int index, int axis) const {
    return index == 0 ? flow.cells[axis] - 1 : index - 1;
  }
};

}  // namespace detail

inline Box box_of_cells(const int (&cells)[3]) { return {0, cells[0], 0, cells[1], 0, cells[2]}; }

/// Queues right side = div u.
template <class Real>
void queue_divergence(const Stream& stream, const FlowOnGpu<Real>& flow, const Real* fields,
                      const poisson::CellSlots<Real>& right_side) {
  for_each(stream, box_of_cells(flow.cells),
           detail::FindDivergence<Real>{flow, fields, right_side});
}

/// Queues u -= grad p.
template <class Real>
void queue_projection(const Stream& stream, const FlowOnGpu<Real>& flow, Real* fields,
                      const poisson::CellSlots<Real>& pressure) {
  for_each(stream, box_of_cells(flow.cells), detail::Project<Real>{flow, fields, pressure});
}

}  // namespace bankfull::convection
