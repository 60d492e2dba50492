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

/// Calls finish(i, j) of each row that is projected. Returns the largest rate of advection.
template <class Real, class Finish>
double project(const FlowOnCpu<Real>& flow, FieldSet<Real>& fields,
               const poisson::CellSlots<Real>& pressure, const Finish& finish) {
  const Extents& n = flow.n;
  const WallFaces& walls = flow.walls;
  return flow.rows.largest_of_rows([&](std::int64_t i, std::int64_t j) {
    const PointStencil<Real> stencil = flow.template stencil_of_row<Real>(fields, i, j);
    const Real* const here = &pressure(i, j, 0);
    if (!walls.holds<0>(i)) {
      project_row(here, &pressure(before(i, n.ni, walls.closes(0)), j, 0), stencil.axis[0].per_face,
                  n.nk, fields[0].row(i, j));
    }
    if (!walls.holds<1>(j)) {
      project_row(here, &pressure(i, before(j, n.nj, walls.closes(1)), 0), stencil.axis[1].per_face,
                  n.nk, fields[1].row(i, j));
    }
    flow.with_cells_along_rows([&](const auto& along) {
      project_along_row(here, !walls.walled[2], along, n.nk, fields[2].row(i, j));
    });
    finish(i, j);
    return flow.with_cells_along_rows(
        [&](const auto& along) { return largest_advective_rate(stencil, along, n.nk); });
  });
}

}  // namespace bankfull::convection
