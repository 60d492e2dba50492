#pragma once

#include "bankfull/core/base/exact_sum.hpp"
#include "bankfull/core/base/pack.hpp"
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

/// The tallies of packs of cells of a row: lane n has cell n of each.
template <class AnyTally>
class LaneTallies {
  using P = Pack<double>;

 public:
  BANKFULL_ALWAYS_INLINE void add(std::size_t n, const P& terms) { sums_[n] = sums_[n] + terms; }
  BANKFULL_ALWAYS_INLINE void raise(std::size_t n, const P& values) {
    max_[n] = larger(values, max_[n]);
  }

  /// Adds all lanes to `tally`, in their order.
  void merge_into(AnyTally& tally) const {
    for (std::size_t n = 0; n < sums_.size(); ++n) {
      tally.add(n, sums_[n].total());
    }
    for (std::size_t n = 0; n < max_.size(); ++n) {
      std::array<double, P::width> of_lanes{};
      max_[n].store(of_lanes.data());
      for (const double value : of_lanes) {
        tally.raise(n, value);
      }
    }
  }

 private:
  /// NaN wins, as among numbers.
  BANKFULL_ALWAYS_INLINE static P larger(const P& a, const P& b) {
    return P::of_parts([&](int n) [[gnu::always_inline]] {
      const auto x = a.part(n);
      const auto y = b.part(n);
      const auto of_both = x < y ? y : x;
      return y != y ? y : of_both;  // NOLINT(misc-redundant-expression): NaN alone differs
    });
  }

  static auto lowest() {
    std::array<P, std::extent_v<decltype(AnyTally::max)>> all;
    all.fill(P::broadcast(lowest_number));
    return all;
  }

  std::array<P, std::extent_v<decltype(AnyTally::sums)>> sums_{};
  std::array<P, std::extent_v<decltype(AnyTally::max)>> max_ = lowest();
};

/// Counts a cell of the flow. `source`: of its velocity 0, or null.
template <class Real>
struct CountFlowOnCpu {
  double viscosity;
  SourceFactors factors;

  template <class Stencil, class Number, class Sides, class AnyTally>
  BANKFULL_ALWAYS_INLINE void operator()(const Stencil& stencil, const Real* source,
                                         const Number& part, const Sides& sides,
                                         AnyTally& tally) const {
    count(stencil, CellForcing<Real>{viscosity, source, factors.of}, part, sides, tally);
  }
};

/// The same of a scalar.
template <class Real>
struct CountScalarOnCpu {
  int scalar;
  double diffusivity;
  SourceFactors factors;

  template <class Stencil, class Number, class Sides, class AnyTally>
  BANKFULL_ALWAYS_INLINE void operator()(const Stencil& stencil, const Real* source,
                                         const Number& part, const Sides& sides,
                                         AnyTally& tally) const {
    const CellForcing<Real> forcing{.source = source, .factors = factors.of};
    count(stencil, scalar, diffusivity, forcing.of(stencil, 3 + scalar), part, sides, tally);
  }
};

/// What the cells of a row have beside the flow.
struct RowOfCells {
  std::int64_t i = 0;
  std::int64_t j = 0;
  const double* widths = nullptr;  ///< along the row
  double face = 0.0;  ///< the area of a cell's face across the row, over the volume of the box
  WallSides sides;    ///< but at the row's ends
};

/// Packs of cells of a row from cell k on, up to cell `end`, of which none is at an end with a
/// wall. Returns the first cell that is left.
template <class AnyTally, class Cells, class Count, class Sides>
std::int64_t tally_packs(const FlowOnCpu<double>& flow, const FieldSet<double>& fields,
                         const RowOfCells& row, const Cells& along, const Count& count_cells,
                         const Sides& sides, std::int64_t k, std::int64_t end, AnyTally& tally) {
  using P = Pack<double>;
  const auto first = flow.template stencil_of_row<P, P>(fields, row.i, row.j);
  LaneTallies<AnyTally> tallies;
  for (; k + P::width <= end; k += P::width) {
    PointStencil<double, P, P> stencil = first;
    stencil.here += k;
    along.move_to(k, stencil);
    count_cells(stencil, nullptr, row.face * P::load(row.widths + k), sides, tallies);
  }
  tallies.merge_into(tally);
  return k;
}

/// count_cells(stencil, source, part of the volume, sides, tally) of all cells of a row. `source`:
/// of the row's velocity 0, or null. Of fp64 flows without sources packs of cells are counted; the
/// others, those at ends with walls and what is left of a row one after the other.
template <class AnyTally, class Real, class Cells, class Count>
AnyTally tally_of_row(const FlowOnCpu<Real>& flow, const FieldSet<Real>& fields, const Real* source,
                      const RowOfCells& row, const Cells& along, const Count& count_cells) {
  const PointStencil<Real> first = flow.template stencil_of_row<Real>(fields, row.i, row.j);
  const bool walled = flow.walls.walled[2];
  const std::int64_t cells = flow.n.nk;
  WallSides sides = row.sides;
  auto tally = empty_tally<AnyTally>();
  const auto count_one = [&](std::int64_t k) {
    sides.lower[2] = walled && k == 0;
    sides.upper[2] = walled && k == cells - 1;
    PointStencil<Real> stencil = first;
    stencil.here += k;
    along.move_to(k, stencil);
    count_cells(stencil, source == nullptr ? nullptr : source + k, row.face * row.widths[k], sides,
                tally);
  };
  std::int64_t k = 0;
  if constexpr (std::is_same_v<Real, double>) {
    if (source == nullptr) {
      const std::int64_t end = walled ? cells - 1 : cells;
      if (walled) {
        count_one(k++);
      }
      const bool beside_wall = sides.lower[0] || sides.upper[0] || sides.lower[1] || sides.upper[1];
      k = beside_wall
              ? tally_packs(flow, fields, row, along, count_cells, row.sides, k, end, tally)
              : tally_packs(flow, fields, row, along, count_cells, BesideNoWall{}, k, end, tally);
    }
  }
  for (; k < cells; ++k) {
    count_one(k);
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
                 const Count& count_cells) {
  std::vector<ExactTally<AnyTally>> planes(static_cast<std::size_t>(flow.n.ni));
  std::vector<double> widths;
  for (std::int64_t k = 0; k < flow.n.nk; ++k) {
    widths.push_back(flow.width(2, k));
  }
  flow.executor.each(flow.n.ni, [&](std::int64_t i) {
    ExactTally<AnyTally>& plane = planes[static_cast<std::size_t>(i)];
    flow.with_cells_along_rows([&](const auto& along) {
      for (std::int64_t j = 0; j < flow.n.nj; ++j) {
        const RowOfCells row{i, j, widths.data(),
                             flow.width(0, i) * flow.width(1, j) / flow.grid.volume(),
                             sides_of_row(flow, i, j)};
        const Real* const source = sources == nullptr ? nullptr : (*sources)[0].row(i, j);
        plane.add(tally_of_row<AnyTally>(flow, fields, source, row, along, count_cells));
      }
    });
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
