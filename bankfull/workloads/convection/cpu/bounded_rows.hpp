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
  CellOnWalls beside;    ///< the walls beside the row
  bool walled = false;   ///< it ends at walls
  Real* kept = nullptr;  ///< centred fluxes through the lower faces across i, j, k
  Real* flux = nullptr;  ///< A of the stage, likewise
  Real* room = nullptr;  ///< Room of the cells: rise, fall
  Real* next = nullptr;  ///< the scalar itself, as the stage leaves it
  std::int64_t cells = 0;

  [[nodiscard]] BANKFULL_ALWAYS_INLINE CellOnWalls walls_at(std::int64_t k) const {
    CellOnWalls walls = beside;
    walls.lower[2] = walled && k == 0;
    walls.upper[2] = walled && k == cells - 1;
    return walls;
  }

  template <class Cells>
  [[nodiscard]] BANKFULL_ALWAYS_INLINE PointStencil<Real> stencil_at(std::int64_t k,
                                                                     const Cells& along) const {
    PointStencil<Real> here = stencil;
    here.here += k;
    along.move_to(k, here);
    return here;
  }

  [[nodiscard]] BANKFULL_ALWAYS_INLINE BoundedPoint<Real> point_at(std::int64_t k) const {
    return {stencil.strides, flux + k, room + k};
  }
};

/// A through the faces across B of cells begin <= k < end of a row: the lower ones, or where `Face`
/// is 1 the upper ones.
template <int B, int Face, class Real, class Cells>
void find_antidiffusion_row(BoundedRow<Real> row, Cells along, std::int64_t begin,
                            std::int64_t end) {
  const FlowStrides& strides = row.stencil.strides;
  const std::int64_t at = B * strides.field + Face * strides.template along<B>();
  Real* const kept = row.kept + at;
  Real* const result = row.flux + at;
#pragma omp simd
  for (std::int64_t k = begin; k < end; ++k) {
    const PointStencil<Real> stencil = row.stencil_at(k, along);
    const AxisMetric<Real>& axis = stencil.axis[B];
    const Real flux = scalar_flux<B>(stencil, row.scalar, row.diffusivity, Face,
                                     Face == 0 ? axis.per_face : axis.per_face_next);
    result[k] = antidiffusion<B>(stencil, row.scalar, row.stage, Face, flux, kept[k]);
    if (row.stage.store_flux) {
      kept[k] = flux;
    }
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

/// Room of the cells of a row.
template <class Real, class Cells>
void find_room_row(BoundedRow<Real> row, Cells along) {
  Real* const rise = row.room;
  Real* const fall = row.room + row.stencil.strides.field;
#pragma omp simd
  for (std::int64_t k = 0; k < row.cells; ++k) {
    const PointStencil<Real> stencil = row.stencil_at(k, along);
    const Real low = upwind_value(stencil, row.scalar, row.diffusivity, row.stage.length);
    const Room<Real> room = room_of(stencil, row.point_at(k).fluxes(), low,
                                    values_around(stencil, row.scalar, row.walls_at(k)));
    rise[k] = room.rise;
    fall[k] = room.fall;
  }
}

/// Corrects a row and returns the sum of what that adds to T^2 / 2 times the cells' widths along
/// it, twice.
template <class Real, class Cells>
double correct_row(BoundedRow<Real> row, Cells along) {
  const Real* const before = row.stencil.here + (3 + row.scalar) * row.stencil.strides.field;
  double twice_added = 0.0;
#pragma omp simd reduction(+ : twice_added)
  for (std::int64_t k = 0; k < row.cells; ++k) {
    const PointStencil<Real> stencil = row.stencil_at(k, along);
    const Real correction = row.point_at(k).correction(stencil.axis);
    const Real after = row.next[k] + correction;
    row.next[k] = after;
    twice_added += static_cast<double>((after + before[k]) * correction) /
                   static_cast<double>(stencil.axis[2].per_cell);
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
