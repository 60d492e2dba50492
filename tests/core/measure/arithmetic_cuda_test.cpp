#include "bankfull/core/measure/arithmetic.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(Fp64Rate, IsThatOfAGpuAndTheSameAgain) {
  const double once = measure_fp64_rate(Device::cuda(0));
  const double again = measure_fp64_rate(Device::cuda(0));
  EXPECT_GT(once, 1e10);
  EXPECT_LT(once, 1e15);
  EXPECT_NEAR(again, once, 0.2 * once);
}

}  // namespace
}  // namespace bankfull
