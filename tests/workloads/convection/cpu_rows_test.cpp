#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/cpu/flow_ghosts.hpp"
#include "bankfull/workloads/convection/cpu/ghost_rows.hpp"
#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/cpu/tally.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

// Rows of the CPU's schedule, in packs, against the same cell by cell: to the bit.
namespace bankfull::convection {
namespace {

template <class Real>
class CpuRows : public testing::Test {};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(CpuRows, Precisions);

/// Less than a pack, whole packs, and packs with some cells left, of both precisions.
constexpr std::array<std::int64_t, 10> lengths{1, 2, 7, 9, 16, 17, 18, 32, 35, 64};

/// Metrics of an axis whose cells differ, or are alike.
template <class Real>
std::vector<AxisMetric<Real>> metrics_of_axis(std::int64_t cells, bool stretched) {
  std::vector<AxisMetric<Real>> metrics;
  for (std::int64_t n = 0; n < cells; ++n) {
    const Real uneven =
        stretched ? static_cast<Real>(0.3 * std::sin(1.3 * static_cast<double>(n))) : Real(0);
    metrics.push_back({3 + uneven, 3 - uneven, 3 + uneven / 2, 3 - uneven / 2, Real(0.5)});
  }
  return metrics;
}

template <class Real, class Body>
void with_cells(const std::vector<AxisMetric<Real>>& metrics, bool stretched, const Body& body) {
  const MetricLines<Real> lines(metrics);
  stretched ? body(lines.cells()) : body(UniformCells<Real>{metrics.front()});
}

/// Fields of which three rows of three planes have values everywhere, ghosts and padding too.
template <class Real>
class RandomFields {
 public:
  explicit RandomFields(std::int64_t cells, int count = 4, unsigned seed = 1)
      : layout_({3, 3, cells}, 1, sizeof(Real)), fields_(layout_, count, Device::cpu()) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> values(-1, 1);
    std::generate_n(fields_.data(), fields_.size(), [&] { return values(random); });
  }

  [[nodiscard]] Real* row(int field, std::int64_t i = 1, std::int64_t j = 1) {
    return fields_[field].row(i, j);
  }
  [[nodiscard]] FieldSet<Real>& set() { return fields_; }
  [[nodiscard]] FlowStrides strides() const {
    return {fields_.stride(), layout_.plane_pitch(), layout_.row_pitch()};
  }
  [[nodiscard]] std::vector<Real> all() const {
    return {fields_.data(), fields_.data() + fields_.size()};
  }

 private:
  Layout layout_;
  FieldSet<Real> fields_;
};

template <class Real>
Medium<Real> stratified() {
  Medium<Real> medium;
  medium.viscosity = Real(0.01);
  medium.scalar_count = 1;
  medium.scalars[0] = {.diffusivity = Real(0.02),
                       .buoyancy = {Real(0.4), Real(1), Real(-0.7)},
                       .total_buoyancy = Real(2.1)};
  return medium;
}

template <class Metric, class Real>
PointStencil<Real, Pack<Real>, Metric> in_packs(const PointStencil<Real>& stencil) {
  return {.here = stencil.here,
          .strides = stencil.strides,
          .axis = {metric_of_pack<Metric>(stencil.axis[0]), metric_of_pack<Metric>(stencil.axis[1]),
                   metric_of_pack<Metric>(stencil.axis[2])}};
}

/// The rates of one row by all functions that find them, where one cell's is by far the largest.
template <class Real>
void expect_largest_rate_at(std::int64_t steep, std::int64_t cells, const RowWalls& walls,
                            bool stretched) {
  RandomFields<Real> from(cells);
  RandomFields<Real> to(cells);
  RandomFields<Real> tendencies(cells);
  from.row(3, 1, 2)[steep] = 40;
  from.row(3)[-1] = from.row(3)[cells] = 9000;  // beyond walls it does not count
  const std::vector<AxisMetric<Real>> metrics = metrics_of_axis<Real>(cells, stretched);
  const Medium<Real> medium = stratified<Real>();
  const PointStencil<Real> stencil{
      .here = from.row(0), .strides = from.strides(), .axis = {metrics[0], metrics[0], metrics[0]}};
  with_cells(metrics, stretched, [&]<class Cells>(const Cells& along) {
    const RatesOfRow<Terms::usual, Real, Cells> rates{stencil, along, medium, walls, cells};
    Real expected = 0;
    for (std::int64_t k = 0; k < cells; ++k) {
      PointStencil<Real> here = stencil;
      here.here += k;
      along.move_to(k, here);
      CellOnWalls on = walls.beside;
      on.lower[2] = walls.walled && k == 0;
      on.upper[2] = walls.walled && k + 1 == cells;
      expected = std::max(expected, buoyancy_rate<Terms::usual>(here, medium, on));
    }
    EXPECT_EQ(largest_buoyancy_rate(rates), expected);
    const RowToAdvance<Real, typename Cells::Metric> row{
        .stencil = in_packs<typename Cells::Metric>(stencil),
        .tendency = tendencies.row(0),
        .next = to.row(0),
        .cells = cells};
    const Real inside =
        advance_row<Terms::usual>(row, along, medium, StageFactors<Real>{1, 0, true}, walls);
    EXPECT_EQ(std::max(inside, largest_buoyancy_rate_of_ends(rates)), expected);
  });
}

TYPED_TEST(CpuRows, FindTheLargestRateOfBuoyancyInAnyCell) {
  for (const std::int64_t cells : lengths) {
    for (std::int64_t steep = 0; steep < cells; ++steep) {
      for (const bool stretched : {false, true}) {
        const CellOnWalls above_plane{.upper = {true, false, false}};
        expect_largest_rate_at<TypeParam>(steep, cells, {above_plane, true}, stretched);
        expect_largest_rate_at<TypeParam>(steep, cells, {{}, false}, stretched);
      }
    }
  }
}

/// By the definition, without what lies on walls.
template <class Real, class Cells>
Real project_by_cells(const RowToProject<Real>& row, const Cells& along, bool walled) {
  Real largest = 0;
  for (std::int64_t k = 0; k < row.cells; ++k) {
    const Real p = row.pressure[k];
    for (int axis = 0; axis < 2; ++axis) {
      if (row.below[axis] != nullptr) {
        row.velocity[axis][k] -= row.axis[axis].per_face * (p - row.below[axis][k]);
      }
    }
    if (k > 0 || !walled) {
      const Real below = row.pressure[k > 0 ? k - 1 : row.cells - 1];
      row.velocity[2][k] -= along.around(k).per_face * (p - below);
    }
    largest = std::max(largest,
                       advective_rate(row.axis[0], row.axis[1], along.around(k), row.velocity[0][k],
                                      row.velocity[1][k], row.velocity[2][k]));
  }
  return largest;
}

/// Of a row in any fields, pressures in field 3.
template <class Real>
RowToProject<Real> row_to_project(RandomFields<Real>& fields, std::int64_t cells, bool walled,
                                  int walls_beside) {
  const Real* const pressure = fields.row(3);
  RowToProject<Real> row{.pressure = pressure,
                         .below = {fields.row(3, 0, 1), fields.row(3, 1, 0)},
                         .before = pressure[walled ? 0 : cells - 1],
                         .first_face = walled ? 1 : 0,
                         .velocity = {fields.row(0), fields.row(1), fields.row(2)},
                         .axis = {{3, Real(3.5), 2, 1, 0}, {4, 2, Real(1.5), 1, 0}},
                         .cells = cells};
  for (int axis = 0; axis < 2; ++axis) {
    row.below[axis] = (walls_beside & (axis + 1)) != 0 ? nullptr : row.below[axis];
  }
  return row;
}

TYPED_TEST(CpuRows, AreProjectedAsCellsAre) {
  for (const std::int64_t cells : lengths) {
    for (const bool walled : {false, true}) {
      for (const bool stretched : {false, true}) {
        for (int walls_beside = 0; walls_beside < 4; ++walls_beside) {
          // What is not a cell of the row stays, too.
          RandomFields<TypeParam> fields(cells);
          RandomFields<TypeParam> expected(cells);
          with_cells(
              metrics_of_axis<TypeParam>(cells, stretched), stretched, [&](const auto& along) {
                EXPECT_EQ(project_row(row_to_project(fields, cells, walled, walls_beside), along),
                          project_by_cells(row_to_project(expected, cells, walled, walls_beside),
                                           along, walled));
              });
          EXPECT_EQ(fields.all(), expected.all()) << cells << " cells";
        }
      }
    }
  }
}

/// A grid of so many cells along each axis.
Grid grid_of(std::int64_t cells, FlowEnds ends) {
  return Grid(busy_problem({cells, cells, cells}, {ends, ends, ends}, 1, 1).axes);
}

/// Values of all cells and ghosts, but padding, which nothing reads.
template <class Real>
std::vector<Real> within_reach(const FieldView<Real>& field) {
  std::vector<Real> values;
  for_cells(field.reach, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    values.push_back(field(i, j, k));
  });
  return values;
}

TYPED_TEST(CpuRows, GhostsAtEndsAreTheSameWhereWholeLinesAreStreamed) {
  for (const std::int64_t cells : lengths) {
    for (const bool wraps : {false, true}) {
      Continuations rules;
      rules.at[2][0] = {.wraps = wraps, .factor = -1.0, .constant = 0.7};
      rules.at[2][1] = {.wraps = wraps, .factor = 1.0, .constant = -0.4};
      const Grid grid =
          grid_of(std::max<std::int64_t>(3, cells), wraps ? FlowEnds::periodic : FlowEnds::no_slip);
      const GhostRows<TypeParam> ghosts(rules, grid, Box{0, 3, 0, 3, 0, cells});
      RandomFields<TypeParam> closed(cells, 1);
      RandomFields<TypeParam> streamed(cells, 1);
      for_cells(Box{0, 3, 0, 3, 0, 1}, [&](std::int64_t i, std::int64_t j, std::int64_t /*k*/) {
        ghosts.close(closed.set()[0], i, j);
        ghosts.stream_ends(streamed.set()[0], i, j);
      });
      stream_store_fence();
      EXPECT_EQ(within_reach(streamed.set()[0]), within_reach(closed.set()[0])) << cells;
      const TypeParam* const row = streamed.row(0);
      if (wraps) {
        EXPECT_EQ(row[-1], row[cells - 1]);
        EXPECT_EQ(row[cells], row[0]);
      } else {
        EXPECT_EQ(row[-1], static_cast<TypeParam>(0.7 - static_cast<double>(row[0])));
        EXPECT_EQ(row[cells], static_cast<TypeParam>(static_cast<double>(row[cells - 1]) - 0.4));
      }
    }
  }
}

TEST(FlowGhosts, AreClosedInAFlowThatNoCacheHolds) {
  Problem problem = busy_problem({128, 256, 512},
                                 {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 1, 0);
  problem.time_step.fixed = 1e-6;
  const Plan plan(problem, CeilingRule::none);
  const FlowOnCpu<double> flow(plan);
  FieldSet<double> fields(flow.layout, flow.count, Device::cpu());
  const FlowGhosts<double> ghosts(flow, plan.ghosts());
  const std::int64_t nk = flow.n.nk;
  for (const std::int64_t j : {std::int64_t{0}, std::int64_t{5}, flow.n.nj - 1}) {
    for (int field = 0; field < flow.count; ++field) {
      std::iota(fields[field].row(7, j) - 1, fields[field].row(7, j) + nk + 1, field + 1.0);
    }
    ghosts.close_rows(fields, 7, j);
    stream_store_fence();
    for (int field = 0; field < flow.count; ++field) {
      const double* const row = fields[field].row(7, j);
      EXPECT_EQ(row[-1], row[nk - 1]);
      EXPECT_EQ(row[nk], row[0]);
      EXPECT_EQ(row[nk - 1] - row[0], static_cast<double>(nk - 1));
    }
  }
}

/// A flow of which every point and ghost has a number of its own, and what it is tallied with.
class TalliedFlow {
 public:
  explicit TalliedFlow(const Problem& problem)
      : plan_(problem, CeilingRule::none),
        flow_(plan_),
        fields_(flow_.layout, flow_.count, Device::cpu()),
        sources_(flow_.layout, flow_.count, Device::cpu()) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> values(-1, 1);
    std::generate_n(fields_.data(), fields_.size(), [&] { return values(random); });
    flow_.touch(sources_);
  }

  /// Where there are sources cells are counted one after the other, even if all of them are 0.
  template <class AnyTally, class Count>
  void expect_packs_to_count_as_cells_do(const Count& count) const {
    constexpr const FieldSet<double>* no_sources = nullptr;
    const auto packs = tallied<AnyTally>(flow_, fields_, no_sources, nullptr, count);
    const auto cells = tallied<AnyTally>(flow_, fields_, &sources_, nullptr, count);
    for (std::size_t n = 0; n < std::size(cells.sums); ++n) {
      EXPECT_NEAR(packs.sums[n], cells.sums[n], 1e-12 * (1.0 + std::abs(cells.sums[n]))) << n;
    }
    for (std::size_t n = 0; n < std::size(cells.max); ++n) {
      EXPECT_DOUBLE_EQ(packs.max[n], cells.max[n]) << n;
    }
  }

 private:
  Plan plan_;
  FlowOnCpu<double> flow_;
  FieldSet<double> fields_;
  FieldSet<double> sources_;
};

TEST(TallyOnCpu, OfPacksIsThatOfCells) {
  for (const std::array<FlowEnds, 3>& ends :
       {std::array{FlowEnds::periodic, FlowEnds::periodic, FlowEnds::periodic},
        std::array{FlowEnds::periodic, FlowEnds::no_slip, FlowEnds::free_slip},
        std::array{FlowEnds::mixed_moving, FlowEnds::periodic, FlowEnds::no_slip},
        std::array{FlowEnds::no_slip, FlowEnds::mixed_moving, FlowEnds::periodic}}) {
    for (const bool stretched : {false, true}) {
      for (const std::array<std::int64_t, 3>& cells :
           {std::array<std::int64_t, 3>{35, 18, 11}, std::array<std::int64_t, 3>{2, 9, 10},
            std::array<std::int64_t, 3>{7, 16, 8}, std::array<std::int64_t, 3>{18, 2, 17}}) {
        Problem problem = busy_problem(cells, ends, 2, 0);
        problem.time_step.fixed = 1e-6;
        for (AxisCells& axis : problem.axes) {
          axis.stretching = stretched && !axis.periodic ? 0.4 : 0.0;
        }
        SCOPED_TRACE(name_of(ends[0]) + name_of(ends[1]) + name_of(ends[2]) +
                     (stretched ? " stretched " : " ") + std::to_string(cells[0]));
        const TalliedFlow flow(problem);
        flow.expect_packs_to_count_as_cells_do<FlowTally>(CountFlowOnCpu<double>{0.3, {}});
        flow.expect_packs_to_count_as_cells_do<ScalarTally>(CountScalarOnCpu<double>{1, 0.2, {}});
      }
    }
  }
}

TEST(TallyOnCpu, ShowsNaNWhateverFollowsInItsLane) {
  using P = Pack<double>;
  for (int lane = 0; lane < P::width; ++lane) {
    LaneTallies<FlowTally> lanes;
    lanes.raise(0, P::broadcast(1.0));
    lanes.raise(0, P::of_lanes([&](int n) { return n == lane ? std::nan("") : 2.0; }));
    lanes.raise(0, P::broadcast(3.0));
    lanes.raise(1, P::broadcast(4.0));
    auto tally = empty_tally<FlowTally>();
    lanes.merge_into(tally);
    EXPECT_TRUE(std::isnan(tally.max[0])) << lane;
    EXPECT_EQ(tally.max[1], 4.0);
    EXPECT_EQ(tally.max[2], lowest_number);
  }
}

}  // namespace
}  // namespace bankfull::convection
