#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"

#include <cstdint>

namespace bankfull::convection {

/// Ghosts are not yet in place, but for those of velocities 0 and 1 that are another rank's: upper
/// faces are those of the next cell around, and beyond a wall lies the ghost, which is zero for
/// good.
template <class Real>
void diverge_one_row(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields, std::int64_t i,
                     std::int64_t j, const poisson::CellSlots<Real>& right_side) {
  const WallFaces& walls = flow.walls;
  const std::int64_t next_i = walls.closes(0) ? (i + 1) % flow.n.ni : i + 1;
  const std::int64_t next_j = walls.closes(1) ? (j + 1) % flow.n.nj : j + 1;
  const PointStencil<Real> stencil = flow.template stencil_of_row<Real>(fields, i, j);
  const Real* const along = fields[2].row(i, j);
  const RowToDiverge<Real> row{.below = {fields[0].row(i, j), fields[1].row(i, j), along},
                               .above = {fields[0].row(next_i, j), fields[1].row(i, next_j)},
                               .last_face = walls.walled[2] ? Real(0) : along[0],
                               .per_cell = {stencil.axis[0].per_cell, stencil.axis[1].per_cell},
                               .cells = flow.n.nk};
  flow.with_cells_along_rows(
      [&](const auto& cells) { divergence_row(row, cells, &right_side(i, j, 0)); });
}

template <class Real>
void find_divergence(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields,
                     const poisson::CellSlots<Real>& right_side) {
  flow.rows.each_row(
      [&](std::int64_t i, std::int64_t j) { diverge_one_row(flow, fields, i, j, right_side); });
}

/// The cell before cell n; of the first one around the axis, or a rank's that the solver has
/// copied.
inline std::int64_t before(std::int64_t n, std::int64_t cells, bool closes) {
  return closes ? (n + cells - 1) % cells : n - 1;
}

/// Memory is asked for the next row in flows that the caches do not hold.
template <class Real>
BANKFULL_ALWAYS_INLINE RowToProject<Real> row_to_project(const FlowOnCpu<Real>& flow,
                                                         FieldSet<Real>& fields,
                                                         const poisson::CellSlots<Real>& pressure,
                                                         std::int64_t i, std::int64_t j) {
  const Extents& n = flow.n;
  const WallFaces& walls = flow.walls;
  const Real* const here = &pressure(i, j, 0);
  RowToProject<Real> row{
      .pressure = here,
      .before = here[walls.walled[2] ? 0 : n.nk - 1],
      .first_face = walls.walled[2] ? 1 : 0,
      .velocity = {fields[0].row(i, j), fields[1].row(i, j), fields[2].row(i, j)},
      .axis = {flow.metric(0, i), flow.metric(1, j)},
      .next_velocity = flow.is_larger_than(flow.mostly_cached_bytes) ? flow.layout.row_pitch() : 0,
      .cells = n.nk};
  if (j + 1 < n.nj) {
    row.next_pressure = &pressure(i, j + 1, 0) - here;
  }
  if (!walls.holds<0>(i)) {
    row.below[0] = &pressure(before(i, n.ni, walls.closes(0)), j, 0);
  }
  if (!walls.holds<1>(j)) {
    row.below[1] = &pressure(i, before(j, n.nj, walls.closes(1)), 0);
  }
  return row;
}

/// Calls finish(i, j) of each row that is projected. Returns the largest rate of advection.
template <class Real, class Finish>
double project(const FlowOnCpu<Real>& flow, FieldSet<Real>& fields,
               const poisson::CellSlots<Real>& pressure, const Finish& finish) {
  // The pressure and velocities of a plane are as large as all fields of a flow with one scalar.
  return flow.rows.largest_of_rows_in_blocks(1, [&](std::int64_t i, std::int64_t j) {
    const Real advection = flow.with_cells_along_rows([&](const auto& along) {
      return project_row(row_to_project(flow, fields, pressure, i, j), along);
    });
    finish(i, j);
    return advection;
  });
}

}  // namespace bankfull::convection
