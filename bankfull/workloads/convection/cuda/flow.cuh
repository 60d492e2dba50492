#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/point.hpp"

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

/// A velocity less the gradient of a projection's potential across its face.
template <class Real>
__device__ __forceinline__ Real projected_velocity(Real velocity, Real per_face, Real here,
                                                   Real below) {
  return velocity - per_face * (here - below);
}

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

}  // namespace bankfull::convection
