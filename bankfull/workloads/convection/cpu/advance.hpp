#pragma once

#include "bankfull/workloads/convection/cpu/flow.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::convection {

template <class Real>
void stop_at_wall(const FlowOnCpu<Real>& flow, int field, std::int64_t i, std::int64_t j,
                  const Range& cells, Real* row) {
  const WallFaces& walls = flow.walls;
  const bool whole = (field == 0 && walls.holds<0>(i)) || (field == 1 && walls.holds<1>(j));
  if (whole) {
    std::fill_n(row + cells.begin, cells.end - cells.begin, Real(0));
  } else if (field == 2 && walls.holds<2>(cells.begin)) {
    row[0] = Real(0);
  }
}

/// Velocities on walls are zero.
template <class Real>
void stop_at_walls(const FlowOnCpu<Real>& flow, FieldSet<Real>& to, std::int64_t i, std::int64_t j,
                   const Range& cells) {
  for (int field = 0; field < 3; ++field) {
    stop_at_wall(flow, field, i, j, cells, to[field].row(i, j));
  }
}

template <class Real>
BANKFULL_ALWAYS_INLINE RowWalls walls_of_row(const FlowOnCpu<Real>& flow, std::int64_t i,
                                             std::int64_t j) {
  const Extents& n = flow.n;
  const WallFaces& faces = flow.walls;
  RowWalls walls{faces.around<std::int64_t>({i, j, 0}, {n.ni, n.nj, n.nk}), faces.walled[2]};
  walls.beside.lower[2] = walls.beside.upper[2] = false;
  return walls;
}

template <Terms Which, class Real, class Cells>
BANKFULL_ALWAYS_INLINE RatesOfRow<Which, Real, Cells> rates_of_row(const FlowOnCpu<Real>& flow,
                                                                   const FieldSet<Real>& from,
                                                                   const Cells& along,
                                                                   std::int64_t i, std::int64_t j) {
  return {flow.template stencil_of_row<Real>(from, i, j), along, flow.medium,
          walls_of_row(flow, i, j), flow.n.nk};
}

/// The cells of a row before `end`.
template <class Metric, class Real>
RowToAdvance<Real, Metric> row_to_advance(const FlowOnCpu<Real>& flow,
                                          const StageOnCpu<Real>& stage, std::int64_t i,
                                          std::int64_t j, std::int64_t end) {
  return {.stencil = flow.template stencil_of_row<Pack<Real>, Metric>(stage.from, i, j),
          .source = stage.source_of_row(i, j),
          .source_factor = stage.source_factors,
          .tendency = stage.tendencies[0].row(i, j),
          .next = stage.to[0].row(i, j),
          .ahead = flow.is_larger_than(flow.partly_cached_bytes) ? flow.layout.row_pitch() : 0,
          .cells = end};
}

template <Terms Which, class Real>
Real advance_terms_of_row(const FlowOnCpu<Real>& flow, const StageOnCpu<Real>& stage,
                          std::int64_t i, std::int64_t j) {
  return flow.with_cells_along_rows([&]<class Cells>(const Cells& along) {
    const auto rates = rates_of_row<Which>(flow, stage.from, along, i, j);
    const Real inside =
        advance_row<Which>(row_to_advance<typename Cells::Metric>(flow, stage, i, j, flow.n.nk),
                           along, flow.medium, stage.factors.tendencies, rates.walls);
    const Real at_ends = largest_buoyancy_rate_of_ends(rates);
    return inside < at_ends ? at_ends : inside;
  });
}

/// A stage with explicit diffusion. Returns the largest rate of buoyancy.
template <class Real>
double advance_fields(const FlowOnCpu<Real>& flow, const StageOnCpu<Real>& stage) {
  const bool usual = terms_of(flow.medium, stage.sources != nullptr) == Terms::usual;
  return flow.rows.largest_of_rows_in_blocks(3, [&](std::int64_t i, std::int64_t j) {
    const Real buoyancy = usual ? advance_terms_of_row<Terms::usual>(flow, stage, i, j)
                                : advance_terms_of_row<Terms::all>(flow, stage, i, j);
    stop_at_walls(flow, stage.to, i, j, {0, flow.n.nk});
    return buoyancy;
  });
}

}  // namespace bankfull::convection
