#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <cstdint>

namespace bankfull::convection {

/// One row of all fields to advance, from k = 0. Pointers are to velocity 0; the others follow at
/// the strides' field distance.
template <class Real>
struct RowToAdvance {
  PointStencil<Real, Pack<Real>> stencil;  ///< of the row's first point
  const Real* source = nullptr;
  const Real* source_factor = nullptr;  ///< of each field, where there are sources
  Real* tendency = nullptr;
  Real* next = nullptr;  ///< aligned to a cache line
  std::int64_t cells = 0;
};

/// What a stage multiplies by.
template <class Real>
struct StageFactors {
  Real gamma = 0;
  Real zeta = 0;
  bool store_tendency = true;
};

template <Terms Which, class Real>
BANKFULL_ALWAYS_INLINE void put_advanced(const RowToAdvance<Real>& row,
                                         const PointStencil<Real, Pack<Real>>& stencil,
                                         const StageFactors<Real>& stage, std::int64_t k, int field,
                                         Pack<Real> tendency) {
  using P = Pack<Real>;
  const std::int64_t at = field * stencil.strides.field;
  if (Which == Terms::all && row.source != nullptr) {
    tendency = plus_product(row.source_factor[field], P::load(row.source + at + k), tendency);
  }
  Real* const kept = row.tendency + at + k;
  const P result = advanced(stencil.load(at), stage.gamma, tendency, stage.zeta, P::load(kept));
  // Nothing reads it before the next pass over memory.
  result.stream(row.next + at + k);
  if (stage.store_tendency) {
    tendency.store(kept);
  }
}

/// next = fields + gamma G + zeta G_before, a pack at a time; the last one reaches into the
/// row's padding. Arguments come by value: compilers see that no store changes them.
template <Terms Which, class Real>
void advance_row(RowToAdvance<Real> row, Medium<Real> medium, StageFactors<Real> stage) {
  using P = Pack<Real>;
  const bool carries = Which == Terms::usual || medium.scalar_count > 0;
  for (std::int64_t k = 0; k < row.cells; k += P::width) {
    PointStencil<Real, P> stencil = row.stencil;
    stencil.here += k;
    // All before the first store: what compilers must take for a change of the flow.
    const P along_i = momentum_tendency<0, Which>(stencil, medium);
    const P along_j = momentum_tendency<1, Which>(stencil, medium);
    const P along_k = momentum_tendency<2, Which>(stencil, medium);
    P scalar = P::broadcast(0);
    if (carries) {
      scalar = scalar_tendency(stencil, 0, medium.scalars[0].diffusivity);
    }
    put_advanced<Which>(row, stencil, stage, k, 0, along_i);
    put_advanced<Which>(row, stencil, stage, k, 1, along_j);
    put_advanced<Which>(row, stencil, stage, k, 2, along_k);
    if (carries) {
      put_advanced<Which>(row, stencil, stage, k, 3, scalar);
    }
    for (int s = 1; Which == Terms::all && s < medium.scalar_count; ++s) {
      put_advanced<Which>(row, stencil, stage, k, 3 + s,
                          scalar_tendency(stencil, s, medium.scalars[s].diffusivity));
    }
  }
}

/// The largest buoyancy_rate of a row of cells, which lie on the walls `beside` the row, and end at
/// walls where it is `walled`.
template <Terms Which, class Real>
Real largest_buoyancy_rate(PointStencil<Real> row, Medium<Real> medium, CellOnWalls beside,
                           bool walled, std::int64_t cells) {
  Real largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < cells; ++k) {
    PointStencil<Real> stencil = row;
    stencil.here += k;
    CellOnWalls walls = beside;
    walls.lower[2] = walled && k == 0;
    walls.upper[2] = walled && k == cells - 1;
    const Real rate = buoyancy_rate<Which>(stencil, medium, walls);
    largest = largest < rate ? rate : largest;
  }
  return largest;
}

/// The largest advective_rate of a row of cells.
template <class Real>
Real largest_advective_rate(PointStencil<Real> row, std::int64_t cells) {
  const Real* const along_i = row.here;
  const Real* const along_j = along_i + row.strides.field;
  const Real* const along_k = along_j + row.strides.field;
  Real largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < cells; ++k) {
    const Real rate = advective_rate(row.axis, along_i[k], along_j[k], along_k[k]);
    largest = largest < rate ? rate : largest;
  }
  return largest;
}

/// Velocities on both sides of a row of cells. The face beyond the last cell is `last_face`.
template <class Real>
struct RowToDiverge {
  const Real* below[3];  ///< on the lower faces
  const Real* above[2];  ///< on the upper faces along i and j
  Real last_face = 0;
  Real per_cell[3] = {};
  std::int64_t cells = 0;
};

template <class Real, class Value>
BANKFULL_ALWAYS_INLINE Value divergence_between(const Real (&per_cell)[3], const Value (&below)[3],
                                                const Value (&above)[3]) {
  return per_cell[0] * (above[0] - below[0]) + per_cell[1] * (above[1] - below[1]) +
         per_cell[2] * (above[2] - below[2]);
}

/// div u, past the caches where the row starts on a line: the next pass over memory reads it.
template <class Real>
void divergence_row(const RowToDiverge<Real>& row, Real* __restrict result) {
  using P = Pack<Real>;
  const Real* const(&below)[3] = row.below;
  const Real* const(&above)[2] = row.above;
  const bool whole_lines = starts_a_line(result);
  const std::int64_t last = row.cells - 1;
  std::int64_t k = 0;
  for (; k + P::width <= last; k += P::width) {
    const P lower[3] = {P::load(below[0] + k), P::load(below[1] + k), P::load(below[2] + k)};
    const P upper[3] = {P::load(above[0] + k), P::load(above[1] + k), P::load(below[2] + k + 1)};
    const P value = divergence_between(row.per_cell, lower, upper);
    whole_lines ? value.stream(result + k) : value.store(result + k);
  }
  for (; k <= last; ++k) {
    const Real next_face = k < last ? below[2][k + 1] : row.last_face;
    const Real lower[3] = {below[0][k], below[1][k], below[2][k]};
    const Real upper[3] = {above[0][k], above[1][k], next_face};
    result[k] = divergence_between(row.per_cell, lower, upper);
  }
}

/// u -= (p - p_below) / distance, on the lower faces of a row of cells.
template <class Real>
void project_row(const Real* __restrict pressure, const Real* __restrict below, Real per_face,
                 std::int64_t cells, Real* __restrict velocity) {
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    velocity[k] -= per_face * (pressure[k] - below[k]);
  }
}

/// The same along the row itself: the first face is a wall, or lies above the row's last cell.
template <class Real>
void project_along_row(const Real* __restrict pressure, bool periodic, Real per_face,
                       std::int64_t cells, Real* __restrict velocity) {
  if (periodic) {
    velocity[0] -= per_face * (pressure[0] - pressure[cells - 1]);
  }
#pragma omp simd
  for (std::int64_t k = 1; k < cells; ++k) {
    velocity[k] -= per_face * (pressure[k] - pressure[k - 1]);
  }
}

}  // namespace bankfull::convection
