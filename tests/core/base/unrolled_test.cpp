#include "bankfull/core/base/unrolled.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

TEST(Unrolled, CallsInOrder) {
  std::vector<int> steps;
  unrolled<5>([&](int n) { steps.push_back(n); });
  EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Unrolled, MayDoNothing) {
  unrolled<0>([](int) { FAIL(); });
}

}  // namespace
}  // namespace bankfull
