#include "bankfull/core/measure/arithmetic.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(Fp64Rate, IsThatOfAGpu) {
  const double rate = measure_fp64_rate(Device::cuda(0));
  EXPECT_GT(rate, 1e10);
  EXPECT_LT(rate, 1e15);
}

}  // namespace
}  // namespace bankfull
