#pragma once

#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/point_bounded.hpp"

#include <cstdint>

namespace bankfull::convection {

/// One row of a bounded scalar in a stage, from k = 0. All arrays are as far apart as the flow's.
template <class Real>
struct BoundedRow {
  PointStencil<Real> stencil;  ///< of the row's first point, in the flow that the stage starts from
  int scalar = 0;
  Real diffusivity{};
  BoundedStage<Real> stage;
  CellOnWalls beside;              ///< the walls beside the row
  bool walled = false;             ///< it ends at walls
  Real* kept = nullptr;            ///< centred fluxes through the lower faces across i, j, k
  Real* flux = nullptr;            ///< A of the stage, likewise
  Real* limiter_ratios = nullptr;  ///< of the cells: rise, fall
  Real* next = nullptr;            ///< the scalar itself, as the stage leaves it
  std::int64_t cells = 0;
};

// What a loop does to one cell stands in a function of its own, and takes what it needs of a
// stencil number by number: g++ 12 forms no packs of loops that copy whole structures.

/// Around cell k of a row, as far as scalars need it.
template <class Real, class Cells>
BANKFULL_ALWAYS_INLINE PointStencil<Real> stencil_at(const PointStencil<Real>& first,
                                                     const Cells& along, std::int64_t k) {
  PointStencil<Real> stencil;
  stencil.here = first.here + k;
  stencil.strides.field = first.strides.field;
  stencil.strides.plane = first.strides.plane;
  stencil.strides.row = first.strides.row;
  for (int axis = 0; axis < 3; ++axis) {
    stencil.axis[axis].per_cell = first.axis[axis].per_cell;
    stencil.axis[axis].per_face = first.axis[axis].per_face;
    stencil.axis[axis].per_face_next = first.axis[axis].per_face_next;
  }
  along.move_to(k, stencil);
  return stencil;
}

/// A through the face across B of cell k: the lower one (0) or the upper one (1).
template <int B, int Face, class Real, class Cells>
BANKFULL_ALWAYS_INLINE void put_antidiffusion(const BoundedRow<Real>& row, const Cells& along,
                                              std::int64_t k) {
  const PointStencil<Real> stencil = stencil_at(row.stencil, along, k);
  const FlowStrides& strides = row.stencil.strides;
  const std::int64_t at = B * strides.field + Face * strides.template along<B>() + k;
  const AxisMetric<Real>& axis = stencil.axis[B];
  const Real flux = scalar_flux<B>(stencil, row.scalar, row.diffusivity, Face,
                                   Face == 0 ? axis.per_face : axis.per_face_next);
  const Real before = row.kept[at];
  row.flux[at] = antidiffusion<B>(stencil, row.scalar, row.stage, Face, flux, before);
  row.kept[at] = row.stage.store_flux ? flux : before;
}

template <class Real, class Cells>
BANKFULL_ALWAYS_INLINE void put_limiter_ratios(const BoundedRow<Real>& row, const Cells& along,
                                               std::int64_t k) {
  const PointStencil<Real> stencil = stencil_at(row.stencil, along, k);
  CellOnWalls walls = row.beside;
  walls.lower[2] = row.walled && k == 0;
  walls.upper[2] = row.walled && k == row.cells - 1;
  const BoundedPoint<Real> point{row.stencil.strides, row.flux + k, row.limiter_ratios + k};
  const Real low = upwind_value(stencil, row.scalar, row.diffusivity, row.stage.length);
  const LimiterRatios<Real> ratios =
      limiter_ratios_of(stencil, point.fluxes(), low, values_around(stencil, row.scalar, walls));
  row.limiter_ratios[k] = ratios.rise;
  row.limiter_ratios[row.stencil.strides.field + k] = ratios.fall;
}

/// Returns twice what it adds to T^2 / 2 times the cell's width.
template <class Real, class Cells>
BANKFULL_ALWAYS_INLINE double put_corrected(const BoundedRow<Real>& row, const Cells& along,
                                            std::int64_t k) {
  const PointStencil<Real> stencil = stencil_at(row.stencil, along, k);
  const BoundedPoint<Real> point{row.stencil.strides, row.flux + k, row.limiter_ratios + k};
  const Real correction = point.correction(stencil.axis);
  const Real after = row.next[k] + correction;
  row.next[k] = after;
  const Real before = stencil.template at<0>(3 + row.scalar, 0);
  return static_cast<double>((after + before) * correction) /
         static_cast<double>(stencil.axis[2].per_cell);
}

/// A through the faces across B of cells begin <= k < end of a row: the lower ones, or where `Face`
/// is 1 the upper ones.
template <int B, int Face, class Real, class Cells>
void find_antidiffusion_row(BoundedRow<Real> row, Cells along, std::int64_t begin,
                            std::int64_t end) {
#pragma omp simd
  for (std::int64_t k = begin; k < end; ++k) {
    put_antidiffusion<B, Face>(row, along, k);
  }
}

/// Through the lower faces of a row, and the upper ones of the last cells along each axis.
template <class Real, class Cells>
void find_antidiffusion_rows(const BoundedRow<Real>& row, const Cells& along, bool last_plane,
                             bool last_row) {
  find_antidiffusion_row<0, 0>(row, along, 0, row.cells);
  find_antidiffusion_row<1, 0>(row, along, 0, row.cells);
  find_antidiffusion_row<2, 0>(row, along, 0, row.cells);
  find_antidiffusion_row<2, 1>(row, along, row.cells - 1, row.cells);
  if (last_row) {
    find_antidiffusion_row<1, 1>(row, along, 0, row.cells);
  }
  if (last_plane) {
    find_antidiffusion_row<0, 1>(row, along, 0, row.cells);
  }
}

/// Limiter ratios of the cells of a row.
template <class Real, class Cells>
void find_limiter_ratios_row(BoundedRow<Real> row, Cells along) {
#pragma omp simd
  for (std::int64_t k = 0; k < row.cells; ++k) {
    put_limiter_ratios(row, along, k);
  }
}

/// Corrects a row and returns the sum of what that adds to T^2 / 2 times the cells' widths along
/// it, twice.
template <class Real, class Cells>
double correct_row(BoundedRow<Real> row, Cells along) {
  double twice_added = 0.0;
#pragma omp simd reduction(+ : twice_added)
  for (std::int64_t k = 0; k < row.cells; ++k) {
    twice_added += put_corrected(row, along, k);
  }
  return twice_added;
}

/// Velocities on the upper faces of a row of cells.
template <class Real>
struct UpperVelocities {
  const Real* along_i = nullptr;
  const Real* along_j = nullptr;
  Real last_face{};  ///< beyond the row's last cell
};

/// The largest exchange_rate of a row of cells; diffusion `across` the row, and of each cell along
/// it.
template <class Real, class Cells>
Real largest_exchange_rate(PointStencil<Real> row, Cells along, UpperVelocities<Real> upper,
                           Real diffusion_across, const Real* diffusion_along, std::int64_t cells) {
  const Real* const along_i = row.here;
  const Real* const along_j = along_i + row.strides.field;
  const Real* const along_k = along_j + row.strides.field;
  Real largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < cells; ++k) {
    PointStencil<Real> stencil = row;
    along.move_to(k, stencil);
    const FacePairs<Real> velocity{
        {along_i[k], along_j[k], along_k[k]},
        {upper.along_i[k], upper.along_j[k], k + 1 < cells ? along_k[k + 1] : upper.last_face}};
    const Real rate = exchange_rate(stencil.axis, velocity, diffusion_across, diffusion_along[k]);
    largest = largest < rate ? rate : largest;
  }
  return largest;
}

}  // namespace bankfull::convection
