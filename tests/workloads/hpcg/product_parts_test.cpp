#include "bankfull/workloads/hpcg/cuda/product_parts.hpp"

#include <gtest/gtest.h>

namespace bankfull::hpcg::cuda {
namespace {

constexpr unsigned classes = 8;
constexpr unsigned at_once = 528;  // of an H200

TEST(HpcgProductParts, AreOneWhereTheLastRoundIsNearlyFull) {
  EXPECT_EQ(product_parts(528, classes, at_once), 1U);
  EXPECT_EQ(product_parts(8192, classes, at_once), 1U);
}

TEST(HpcgProductParts, AreTheFewestThatLeaveLessThanATenthIdle) {
  EXPECT_EQ(product_parts(264, classes, at_once), 2U);
}

// 550 blocks: a second round of 22.
TEST(HpcgProductParts, DivideALastRoundOfFewBlocks) {
  EXPECT_EQ(product_parts(550, classes, at_once), 8U);
}

TEST(HpcgProductParts, AreNoMoreThanGainSomething) {
  EXPECT_EQ(product_parts(86, classes, at_once), 4U);  // eight would leave as much idle as four
  EXPECT_EQ(product_parts(1, classes, at_once), 8U);
}

TEST(HpcgProductParts, AreNoMoreThanRanges) {
  EXPECT_EQ(product_parts(550, 1, at_once), 1U);
  EXPECT_EQ(product_parts(1, 4, at_once), 4U);
}

}  // namespace
}  // namespace bankfull::hpcg::cuda
