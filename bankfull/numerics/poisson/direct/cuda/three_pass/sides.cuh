#pragma once

#include "bankfull/numerics/poisson/face_velocity.hpp"

#include <cstdint>

namespace bankfull::poisson::three_pass {

// Where pass 1 has the right side from. A Side's row(i, j) is what a thread knows of a row; its
// at(k, next) is the right side of cell k, where `next` is the cell after it, around the end.

/// A field.
template <class Real>
struct StoredSide {
  struct Row {
    const Real* values;

    __device__ __forceinline__ Real at(int k, int /*next*/) const { return values[k]; }
  };

  const Real* values;
  std::int64_t plane_pitch;
  std::int64_t row_pitch;

  __device__ __forceinline__ Row row(int i, int j) const {
    return {values + i * plane_pitch + j * row_pitch};
  }
};

/// The divergence of a velocity, between walls along i: three fields are read in place of one,
/// which nobody has to write before.
template <class Real>
struct DivergenceSide {
  struct Row {
    const Real* below_i;
    const Real* above_i;  ///< null: a wall
    const Real* below_j;
    const Real* above_j;
    const Real* along_k;
    Real per_width_i;
    Real per_width_j;
    Real per_width_k;

    __device__ __forceinline__ Real at(int k, int next) const {
      const Real above = above_i == nullptr ? Real{0} : __ldg(above_i + k);
      return per_width_i * (above - __ldg(below_i + k)) +
             per_width_j * (__ldg(above_j + k) - __ldg(below_j + k)) +
             per_width_k * (__ldg(along_k + next) - __ldg(along_k + k));
    }
  };

  FaceVelocity<Real> velocity;
  const Real* per_width_i;  ///< of each plane
  Real per_width_j;
  Real per_width_k;
  int planes;
  int rows;

  __device__ __forceinline__ Row row(int i, int j) const {
    const std::int64_t plane = i * velocity.plane_pitch;
    const std::int64_t here = plane + j * velocity.row_pitch;
    const std::int64_t next_row = plane + (j + 1 < rows ? j + 1 : 0) * velocity.row_pitch;
    return {.below_i = velocity.along_i + here,
            .above_i = i + 1 < planes ? velocity.along_i + here + velocity.plane_pitch : nullptr,
            .below_j = velocity.along_j + here,
            .above_j = velocity.along_j + next_row,
            .along_k = velocity.along_k + here,
            .per_width_i = __ldg(per_width_i + i),
            .per_width_j = per_width_j,
            .per_width_k = per_width_k};
  }
};

}  // namespace bankfull::poisson::three_pass
