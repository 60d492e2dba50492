#pragma once

#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/tally.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// Of the cells of a row, but for the walls at its ends.
template <class Real>
WallSides sides_of_row(const FlowOnCpu<Real>& flow, std::int64_t i, std::int64_t j) {
  const WallFaces& walls = flow.walls;
  WallSides sides{.lower = {walls.holds<0>(i), walls.holds<1>(j), false},
                  .upper = {walls.walled[0] && i == flow.n.ni - 1,
                            walls.walled[1] && j == flow.n.nj - 1, false}};
  for (const int axis : storage_axes) {
    sides.length[axis] = flow.grid.axis(axis).length();
  }
  return sides;
}

/// count_cell(stencil, source, part of the volume, sides, tally) of all cells in order. `source`:
/// of the row's velocity 0, or null.
template <class AnyTally, class Real, class Count>
AnyTally tally_of_row(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields, const Real* source,
                      std::int64_t i, std::int64_t j, const Count& count_cell) {
  const Grid& grid = flow.grid;
  const double box = grid.volume();
  auto tally = empty_tally<AnyTally>();
  PointStencil<Real> stencil = flow.template stencil_of_row<Real>(fields, i, j);
  WallSides sides = sides_of_row(flow, i, j);
  for (std::int64_t k = 0; k < flow.n.nk; ++k, ++stencil.here) {
    sides.lower[2] = flow.walls.walled[2] && k == 0;
    sides.upper[2] = flow.walls.walled[2] && k == flow.n.nk - 1;
    stencil.axis[2] = flow.metric(2, k);
    const double area = grid.axis(1).width(j) * grid.axis(2).width(k);
    const double part = area * grid.axis(0).width(i) / box;
    count_cell(stencil, source == nullptr ? nullptr : source + k, part, sides, tally);
  }
  return tally;
}

/// Planes are tallied one by one and merged in order, whatever the team.
template <class AnyTally, class Real, class Count>
AnyTally tallied(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields,
                 const FieldSet<Real>* sources, const Count& count_cell) {
  std::vector<AnyTally> planes(static_cast<std::size_t>(flow.n.ni), empty_tally<AnyTally>());
  flow.executor.each(flow.n.ni, [&](std::int64_t i) {
    AnyTally& plane = planes[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < flow.n.nj; ++j) {
      const Real* const source = sources == nullptr ? nullptr : (*sources)[0].row(i, j);
      merge(plane, tally_of_row<AnyTally>(flow, fields, source, i, j, count_cell));
    }
  });
  auto all = empty_tally<AnyTally>();
  for (const AnyTally& plane : planes) {
    merge(all, plane);
  }
  return all;
}

}  // namespace bankfull::convection
