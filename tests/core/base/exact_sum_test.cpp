#include "bankfull/core/base/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace bankfull {
namespace {

double exact(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) {
    sum.add(value);
  }
  return sum.value();
}

/// Numbers of all sizes and both signs.
std::vector<double> numbers(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-1100, 1000);
  std::vector<double> values;
  for (int n = 0; n < count; ++n) {
    values.push_back(std::ldexp(mantissa(random), exponent(random)));
  }
  return values;
}

TEST(ExactSum, OfOneNumberIsThatNumber) {
  EXPECT_EQ(ExactSum().value(), 0.0);
  std::vector<double> values = numbers(1000);
  for (const double special :
       {0.0, 1.0, -1.0, 0.1, std::numeric_limits<double>::max(),
        std::numeric_limits<double>::lowest(), std::numeric_limits<double>::min(),
        std::numeric_limits<double>::denorm_min(), -5e-324}) {
    values.push_back(special);
  }
  for (const double value : values) {
    EXPECT_EQ(exact({value}), value);
  }
}

TEST(ExactSum, DoesNotDependOnTheOrderNorOnParts) {
  std::vector<double> values = numbers(500);
  const double expected = exact(values);
  std::mt19937_64 random(8);
  for (int n = 0; n < 20; ++n) {
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(exact(values), expected);
    ExactSum whole;
    for (std::size_t begin = 0; begin < values.size(); begin += 7) {
      ExactSum part;
      const std::size_t end = std::min(values.size(), begin + 7);
      for (std::size_t m = begin; m < end; ++m) {
        part.add(values[m]);
      }
      whole.add(part);
    }
    EXPECT_EQ(whole.value(), expected);
  }
}

TEST(ExactSum, LosesNothing) {
  EXPECT_EQ(exact({1e300, 1.0, -1e300}), 1.0);
  EXPECT_EQ(exact({-1e300, 5e-324, 1e300}), 5e-324);
  EXPECT_EQ(exact({0.1, 0.2, -0.3}), std::ldexp(1.0, -55)) << "what these three doubles make";
  EXPECT_EQ(exact(std::vector<double>(1000, -0.125)), -125.0);
  std::vector<double> there_and_back = numbers(100);
  for (int n = 0; n < 100; ++n) {
    there_and_back.push_back(-there_and_back[static_cast<std::size_t>(n)]);
  }
  EXPECT_EQ(exact(there_and_back), 0.0);
}

TEST(ExactSum, SaysWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exact({1.0, infinity}), infinity);
  EXPECT_EQ(exact({1.0, -infinity}), -infinity);
  EXPECT_TRUE(std::isnan(exact({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(exact({std::nan(""), 1.0})));
}

}  // namespace
}  // namespace bankfull
