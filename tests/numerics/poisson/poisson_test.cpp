#include "bankfull/numerics/poisson/poisson.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::poisson {
namespace {

TEST(PoissonAxis, DistancesLieBetweenCentres) {
  const Axis walls{{1.0, 2.0, 4.0}, false};
  EXPECT_DOUBLE_EQ(walls.distance(0), 1.0);
  EXPECT_DOUBLE_EQ(walls.distance(1), 1.5);
  EXPECT_DOUBLE_EQ(walls.distance(2), 3.0);
  EXPECT_DOUBLE_EQ(walls.distance(3), 4.0);
  const Axis periodic{{1.0, 2.0, 4.0}, true};
  EXPECT_DOUBLE_EQ(periodic.distance(0), 2.5);
  EXPECT_DOUBLE_EQ(periodic.distance(3), 2.5);
}

TEST(PoissonAxis, KnowsWhetherItIsUniform) {
  EXPECT_TRUE(uniform_axis(5, true, 0.1).uniform());
  EXPECT_FALSE(stretched_axis(5, true, 1.1).uniform());
}

TEST(PoissonAxis, WithoutCellsHasNoRatioOfWidths) {
  EXPECT_EQ(width_ratio({{1.0, 4.0, 2.0}}), 4.0);
  EXPECT_THROW(width_ratio({}), UsageError);
}

TEST(PoissonSlots, FoldedOrderIsAPermutation) {
  for (const std::int64_t cells : {1, 2, 7, 8}) {
    std::vector<int> times(static_cast<std::size_t>(cells), 0);
    for (std::int64_t n = 0; n < cells; ++n) {
      ++times.at(static_cast<std::size_t>(slot_of(n, cells)));
    }
    EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(cells), 1));
  }
}

#ifndef NDEBUG
TEST(CellSlotsDeathTest, CellWithoutASlotIsCaught) {
  std::vector<double> values(24);
  const CellSlots<double> slots{values.data() + 12, 12, 4, 0, 0, {-1, 1, 0, 3, 0, 4}};
  EXPECT_EQ(&slots(-1, 0, 0), values.data());
  EXPECT_EQ(&slots(0, 2, 3), values.data() + 23);
  EXPECT_DEATH(static_cast<void>(slots(-2, 0, 0)), "slot");
  EXPECT_DEATH(static_cast<void>(slots(1, 0, 0)), "slot");
  EXPECT_DEATH(static_cast<void>(slots(0, 3, 0)), "slot");
  EXPECT_DEATH(static_cast<void>(slots(0, 0, 4)), "slot");
}
#endif

/// What other tests trust.
TEST(PoissonOracle, FluxesThroughFacesCancelAndWallsLetNothingThrough) {
  for (const NamedDomain& each : all_boundaries({5, 4, 3})) {
    const Values f = laplacian(each.domain, random_values(each.domain, 3));
    EXPECT_NEAR(mean(each.domain, f), 0.0, 1e-15) << each.name;
    EXPECT_GT(largest(f), 0.1) << each.name;
  }
}

TEST(PoissonOracle, SecondDifferenceOfASquare) {
  const Domain domain{uniform_axis(5, false), uniform_axis(1, true), uniform_axis(1, true)};
  const Values f = laplacian(domain, {0.0, 1.0, 4.0, 9.0, 16.0});
  EXPECT_EQ(f, (Values{1.0, 2.0, 2.0, 2.0, -7.0}));
}

}  // namespace
}  // namespace bankfull::poisson
