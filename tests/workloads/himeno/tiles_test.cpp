#include "bankfull/workloads/himeno/cpu/tiles.hpp"

#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/workloads/himeno/cpu/row_sums.hpp"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/reference.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

// How high tiles are depends on the caches of the machine; here they are low, and threads claim few
// steps of each other's.
namespace bankfull::himeno {
namespace {

template <class T>
void fill(Fields<T>& fields) {
  for_each(Team(1), fields.whole(),
           initialise(fields, {.kind = InitialState::Kind::random, .seed = 5}));
}

/// The boundary included, and all other ghosts.
template <class T>
std::vector<T> pressure_of(const Fields<T>& fields) {
  std::vector<T> pressure(static_cast<std::size_t>(fields.whole().extents().count()));
  for_each(Team(1), fields.whole(), copy_pressures(fields, fields.whole(), pressure.data()));
  return pressure;
}

template <class T>
struct TilesOutcome {
  std::vector<T> pressure;
  double gosa = 0.0;
  friend bool operator==(const TilesOutcome&, const TilesOutcome&) = default;
};

template <class T>
SweepView<T> view_of(Fields<T>& fields, bool whole_rows) {
  const Fields<T>& present = fields;
  return {present.layout().interior(), present.all(), present.pressure(), fields.next(),
          whole_rows};
}

/// Two sweeps: the second finds what the first has left.
template <class T>
TilesOutcome<T> after_sweeps(const GridSize& grid, int threads, const TilePlan& plan) {
  Fields<T> fields(whole_domain(grid), Device::cpu());
  fill(fields);
  RowSums sums(grid.interior(), 1);
  for (int sweep = 0; sweep < 2; ++sweep) {
    sweep_in_tiles(view_of(fields, true), split_team(grid.interior(), threads), plan,
                   [&](std::int64_t i, std::int64_t j, double sum) { sums.at(0, i, j) = sum; });
    fields.advance();
  }
  return {pressure_of(fields), sums.total(Team(threads), 0)};
}

template <class T>
std::vector<T> after_reference_sweeps(const GridSize& grid) {
  Fields<T> fields(whole_domain(grid), Device::cpu());
  fill(fields);
  for (int sweep = 0; sweep < 2; ++sweep) {
    reference_sweep(fields, fields.interior());
    fields.advance();
  }
  return pressure_of(fields);
}

/// Rows shorter than a line, that end within a line, and that end with one.
std::vector<GridSize> grids() {
  std::vector<GridSize> grids = awkward_grids();
  for (const std::int64_t k : {9, 10, 17, 18, 19, 34, 50}) {
    grids.push_back({6, 11, k});
  }
  return grids;
}

class Tiles : public ::testing::TestWithParam<GridSize> {
 protected:
  template <class T>
  static void expect_bits_of_the_reference() {
    const std::vector<T> expected = after_reference_sweeps<T>(GetParam());
    const double gosa = after_sweeps<T>(GetParam(), 1, {.rows = 1 << 20}).gosa;
    for (int threads = 1; threads <= 5; ++threads) {
      for (const TilePlan& plan : {TilePlan{.rows = 1}, TilePlan{.rows = 3, .steps_at_once = 2},
                                   TilePlan{.rows = 1 << 20, .steps_at_once = 100}}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, tiles of " + std::to_string(plan.rows));
        const TilesOutcome<T> got = after_sweeps<T>(GetParam(), threads, plan);
        EXPECT_EQ(got.pressure, expected);
        EXPECT_EQ(got.gosa, gosa);
      }
    }
  }
};

TEST_P(Tiles, GiveTheBitsOfTheReference) {
  expect_bits_of_the_reference<float>();
  expect_bits_of_the_reference<double>();
}

INSTANTIATE_TEST_SUITE_P(Shapes, Tiles, ::testing::ValuesIn(grids()),
                         [](const auto& shape) { return name_of(shape.param); });

/// Of a rank with neighbours along k, whose halo may have come already.
TEST(TilesOfCutRows, LeaveTheGhostsOfTheNextPressureAsTheyAre) {
  constexpr float came = 12345.0F;
  const GridSize grid{5, 6, 85};
  const Domain domain{
      .grid = grid, .decomposition = Decomposition(grid.interior(), {1, 1, 3}), .rank = 1};
  Fields<float> fields(domain, Device::cpu());
  fill(fields);
  const FieldView<float> next = fields.next();
  for_each(Team(1), fields.whole(),
           [=](std::int64_t i, std::int64_t j, std::int64_t k) { next(i, j, k) = came; });
  sweep_in_tiles(view_of(fields, false), {1, 1}, {.rows = 2},
                 [](std::int64_t /*i*/, std::int64_t /*j*/, double /*sum*/) {});
  const Box interior = fields.interior();
  for_each(Team(1), fields.whole(), [=](std::int64_t i, std::int64_t j, std::int64_t k) {
    const bool inside =
        i >= 0 && i < interior.i1 && j >= 0 && j < interior.j1 && k >= 0 && k < interior.k1;
    EXPECT_EQ(next(i, j, k) != came, inside) << i << ' ' << j << ' ' << k;
  });
}

TEST(TileSteps, TakeEveryRowOnceAndPlaneAfterPlane) {
  const Block block{.planes = {3, 7}, .rows = {2, 13}};
  for (const std::int64_t tile_rows : {1, 4, 11, 50}) {
    const detail::TileSteps steps(block, tile_rows);
    std::vector<int> visits(static_cast<std::size_t>(7 * 13));
    for (std::int64_t step = 0; step < steps.count(); ++step) {
      EXPECT_EQ(steps.plane(step), block.planes.begin + step % block.planes.size());
      EXPECT_LE(steps.rows(step).size(), tile_rows);
      for (std::int64_t j = steps.rows(step).begin; j < steps.rows(step).end; ++j) {
        ++visits[static_cast<std::size_t>(steps.plane(step) * 13 + j)];
      }
    }
    for (std::int64_t i = 0; i < 7; ++i) {
      for (std::int64_t j = 0; j < 13; ++j) {
        EXPECT_EQ(visits[static_cast<std::size_t>(i * 13 + j)],
                  block.planes.holds(i) && block.rows.holds(j) ? 1 : 0);
      }
    }
  }
}

constexpr std::int64_t l2 = std::int64_t{2} << 20;

TEST(PlanTiles, LeavesRoomInSecondLevelCaches) {
  const TilePlan plan = plan_tiles(254, 2040, l2);
  EXPECT_GE(plan.rows, 40);
  EXPECT_LE(plan.rows * 2040 * 13, l2 * 2 / 3);
}

TEST(PlanTiles, HasNoLowTiles) {
  EXPECT_EQ(plan_tiles(254, 8000, l2).rows, 16);
  EXPECT_EQ(plan_tiles(254, 8000, l2 / 8).rows, 254) << "sixteen rows do not fit";
}

TEST(PlanTiles, HasClaimsOfSomeMebibytes) {
  for (const std::int64_t rows : {1, 30, 254}) {
    for (const std::int64_t row_bytes : {4, 256, 2040, 65536}) {
      const TilePlan plan = plan_tiles(rows, row_bytes, l2);
      EXPECT_LE(plan.rows, rows);
      const std::int64_t step_bytes = plan.rows * row_bytes * 14;
      EXPECT_GE(plan.steps_at_once * step_bytes, 2 << 20);
      EXPECT_LT((plan.steps_at_once - 1) * step_bytes, 2 << 20);
    }
  }
}

}  // namespace
}  // namespace bankfull::himeno
