#include "bankfull/core/base/reciprocal.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(Reciprocal, RatiosAreInfiniteOverNothing) {
  EXPECT_EQ(ratio(1.0, 0.0), HUGE_VAL);
  EXPECT_EQ(ratio(0.0, 0.0), HUGE_VAL);
  EXPECT_EQ(ratio(0.0, 3.0), 0.0);
  EXPECT_EQ(ratio(1.0, HUGE_VAL), 0.0);
  EXPECT_TRUE(std::isnan(ratio(HUGE_VAL, HUGE_VAL)));
  EXPECT_TRUE(std::isnan(ratio(1.0, std::nan(""))));
  EXPECT_EQ(ratio(2.0, 3.0), 2.0 / 3.0);
}

TEST(Reciprocal, RootOfNothingIsNothing) {
  EXPECT_EQ(root(0.0), 0.0);
  EXPECT_EQ(root(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(root(std::nan(""))));
  EXPECT_EQ(root(2.0), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(reciprocal_root(2.0), 1.0 / std::sqrt(2.0));
}

}  // namespace
}  // namespace bankfull
