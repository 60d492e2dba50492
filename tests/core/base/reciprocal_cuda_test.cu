#include "bankfull/core/base/reciprocal.hpp"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace bankfull {
namespace {

struct Values {
  double ratio;
  double root;
  double reciprocal_root;
  double of_itself;
};

struct Evaluate {
  const double* numbers;
  Values* values;

  __device__ void operator()(std::int64_t, std::int64_t, std::int64_t n) const {
    const double x = numbers[n];
    values[n] = {ratio(3.0, x), root(x), reciprocal_root(x), ratio(x, x)};
  }
};

std::vector<Values> values_on_gpu(const std::vector<double>& numbers) {
  const Stream stream(Device::cuda(0));
  const Buffer<double> x(MemorySpace::device, numbers.size());
  const Buffer<Values> found(MemorySpace::device, numbers.size());
  copy_bytes(x.data(), numbers.data(), x.bytes(), stream);
  const Box row{0, 1, 0, 1, 0, static_cast<std::int64_t>(numbers.size())};
  for_each(stream, row, Evaluate{x.data(), found.data()});
  std::vector<Values> values(numbers.size());
  copy_bytes(values.data(), found.data(), found.bytes(), stream);
  stream.synchronize();
  return values;
}

/// Of many orders of magnitude, and close together between 1 and 4.
std::vector<double> positive_numbers() {
  std::vector<double> numbers;
  for (int exponent = -800; exponent <= 800; ++exponent) {
    numbers.push_back(std::ldexp(1.37, exponent));
  }
  constexpr int steps = 100000;
  for (int n = 0; n < steps; ++n) {
    numbers.push_back(1.0 + 3.0 * n / steps);
  }
  return numbers;
}

TEST(ReciprocalOnGpu, IsWithinSomeUnitsOfTheLastPlace) {
  const std::vector<double> numbers = positive_numbers();
  const std::vector<Values> values = values_on_gpu(numbers);
  constexpr double some = 4.0 * std::numeric_limits<double>::epsilon();
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const double x = numbers[n];
    ASSERT_LE(std::abs(values[n].ratio * x - 3.0), 3.0 * some) << x;
    ASSERT_LE(std::abs(values[n].of_itself - 1.0), some) << x;
    ASSERT_LE(std::abs(values[n].root / std::sqrt(x) - 1.0), some) << x;
    ASSERT_LE(std::abs(values[n].reciprocal_root * std::sqrt(x) - 1.0), some) << x;
  }
}

TEST(ReciprocalOnGpu, HasTheLimitsOfDivision) {
  const std::vector<Values> values =
      values_on_gpu({0.0, HUGE_VAL, std::nan(""), std::numeric_limits<double>::denorm_min()});
  EXPECT_EQ(values[0].ratio, HUGE_VAL);
  EXPECT_EQ(values[0].of_itself, HUGE_VAL);
  EXPECT_EQ(values[0].root, 0.0);
  EXPECT_EQ(values[1].ratio, 0.0);
  EXPECT_EQ(values[1].root, HUGE_VAL);
  EXPECT_EQ(values[1].reciprocal_root, 0.0);
  EXPECT_TRUE(std::isnan(values[1].of_itself));
  EXPECT_TRUE(std::isnan(values[2].ratio));
  EXPECT_TRUE(std::isnan(values[2].root));
  EXPECT_EQ(values[3].ratio, HUGE_VAL);
  EXPECT_EQ(values[3].root, 0.0);
}

}  // namespace
}  // namespace bankfull
