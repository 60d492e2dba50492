#pragma once

#include "bankfull/core/base/exact_sum.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/tally.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace bankfull::convection {

/// The walls beside the cells of a row, except those at its ends.
template <class Real>
WallSides sides_of_row(const FlowOnCpu<Real>& flow, std::int64_t i, std::int64_t j) {
  const WallFaces& walls = flow.walls;
  WallSides sides{.lower = {walls.holds<0>(i), walls.holds<1>(j), false},
                  .upper = {walls.at_end(0, 1) && i == flow.n.ni - 1,
                            walls.at_end(1, 1) && j == flow.n.nj - 1, false}};
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
  const double box = flow.grid.volume();
  auto tally = empty_tally<AnyTally>();
  PointStencil<Real> stencil = flow.template stencil_of_row<Real>(fields, i, j);
  WallSides sides = sides_of_row(flow, i, j);
  for (std::int64_t k = 0; k < flow.n.nk; ++k, ++stencil.here) {
    sides.lower[2] = flow.walls.walled[2] && k == 0;
    sides.upper[2] = flow.walls.walled[2] && k == flow.n.nk - 1;
    stencil.axis[2] = flow.metric(2, k);
    const double area = flow.width(1, j) * flow.width(2, k);
    const double part = area * flow.width(0, i) / box;
    count_cell(stencil, source == nullptr ? nullptr : source + k, part, sides, tally);
  }
  return tally;
}

/// What rows add up to. Sums are exact, so that neither the team nor the number of ranks nor how
/// these share the rows has a part in their rounding.
template <class AnyTally>
struct ExactTally {
  static constexpr std::size_t count = std::extent_v<decltype(AnyTally::sums)>;

  void add(const AnyTally& row) {
    for (std::size_t n = 0; n < count; ++n) {
      sums[n].add(row.sums[n]);
    }
    add_extremes(row);
  }

  void add(const ExactTally& other) {
    for (std::size_t n = 0; n < count; ++n) {
      sums[n].add(other.sums[n]);
    }
    add_extremes(other.extremes);
  }

  [[nodiscard]] AnyTally value() const {
    AnyTally rounded = extremes;
    for (std::size_t n = 0; n < count; ++n) {
      rounded.sums[n] = sums[n].value();
    }
    return rounded;
  }

  std::array<ExactSum, count> sums;
  AnyTally extremes = empty_tally<AnyTally>();  ///< whose sums do not count

 private:
  void add_extremes(const AnyTally& other) {
    for (std::size_t n = 0; n < std::extent_v<decltype(AnyTally::max)>; ++n) {
      extremes.max[n] = larger(other.max[n], extremes.max[n]);
    }
  }
};

/// Collective over `ranks`, which are null where there is one only.
template <class AnyTally, class Real, class Count>
AnyTally tallied(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields,
                 const FieldSet<Real>* sources, const Communicator* ranks,
                 const Count& count_cell) {
  std::vector<ExactTally<AnyTally>> planes(static_cast<std::size_t>(flow.n.ni));
  flow.executor.each(flow.n.ni, [&](std::int64_t i) {
    ExactTally<AnyTally>& plane = planes[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < flow.n.nj; ++j) {
      const Real* const source = sources == nullptr ? nullptr : (*sources)[0].row(i, j);
      plane.add(tally_of_row<AnyTally>(flow, fields, source, i, j, count_cell));
    }
  });
  ExactTally<AnyTally> all;
  for (const ExactTally<AnyTally>& plane : planes) {
    all.add(plane);
  }
  if (ranks != nullptr) {
    for (const ExactTally<AnyTally>& part : ranks->all_gather(std::exchange(all, {}))) {
      all.add(part);
    }
  }
  return all.value();
}

}  // namespace bankfull::convection
