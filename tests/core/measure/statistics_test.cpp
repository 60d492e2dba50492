#include "bankfull/core/measure/statistics.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(Summarise, OddNumberHasItsMiddle) {
  const Statistics s = summarise({3.0, 1.0, 2.0});
  EXPECT_EQ(s.median, 2.0);
  EXPECT_EQ(s.min, 1.0);
  EXPECT_EQ(s.max, 3.0);
  EXPECT_EQ(s.spread(), 1.0);
  EXPECT_EQ(s.samples, (std::vector<double>{3.0, 1.0, 2.0}));
}

TEST(Summarise, EvenNumberHasTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(summarise({4.0, 1.0, 2.0, 3.0}).median, 2.5);
}

TEST(AtMedian, IsWhatBelongsToTheMedian) {
  EXPECT_EQ(at_median({3.0, 1.0, 2.0}, {7.0, 5.0, 4.0}), 4.0);
  EXPECT_EQ(at_median({4.0, 1.0, 2.0, 3.0}, {9.0, 8.0, 5.0, 6.0}), 5.5);
  EXPECT_EQ(at_median({2.0}, {3.0}), 3.0);
}

TEST(Summarise, OneSample) { EXPECT_EQ(summarise({7.0}).spread(), 0.0); }

}  // namespace
}  // namespace bankfull
