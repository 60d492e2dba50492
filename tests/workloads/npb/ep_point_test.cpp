#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ep/point.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

namespace bankfull::npb::ep {
namespace {

TEST(EpPoint, SymmetricValuesAreExact) {
  Generator generator(common_seed);
  for (int n = 0; n < 1000; ++n) {
    const double value = generator.draw();
    EXPECT_EQ(symmetric_value(generator.state()), 2.0 * value - 1.0);
    // Bits above the modulus do not count.
    EXPECT_EQ(symmetric_value(generator.state() | (std::uint64_t{5} << generator_bits)),
              2.0 * value - 1.0);
  }
}

TEST(EpPoint, SymmetricValuesFollowEachOther) {
  Generator generator(seed);
  double once = symmetric_value(generator.state());
  double twice = once;
  for (int n = 0; n < 100000; ++n) {
    const double v = generator.draw();
    once = symmetric_after<1>(once);
    EXPECT_EQ(once, 2.0 * v - 1.0);
    if (n % 2 == 1) {
      twice = symmetric_after<2>(twice);
      EXPECT_EQ(twice, once);
    }
  }
}

TEST(EpPoint, SymmetricValuesNextToTheEndsAreExact) {
  constexpr std::uint64_t last = generator_modulus - 1;
  constexpr std::uint64_t half = generator_modulus / 2;
  // What these states follow, by the inverse of the factor.
  const std::uint64_t inverse = generator_jump(generator_modulus / 4 - 1);
  ASSERT_EQ(multiply_modulo(inverse, generator_factor), 1U);
  for (const std::uint64_t state : {std::uint64_t{1}, last, half - 1, half + 1}) {
    const std::uint64_t before = multiply_modulo(state, inverse);
    const std::uint64_t two_before = multiply_modulo(before, inverse);
    EXPECT_EQ(symmetric_after<1>(symmetric_value(before)), symmetric_value(state)) << state;
    EXPECT_EQ(symmetric_after<2>(symmetric_value(two_before)), symmetric_value(state)) << state;
  }
}

void expect_logarithm_and_reciprocal(double t) {
  constexpr double units = 4.0 * std::numeric_limits<double>::epsilon();
  const LogarithmAndReciprocal of_t = logarithm_and_reciprocal(t);
  const double exact = std::log(t);
  EXPECT_LE(std::abs(of_t.logarithm - exact), units * std::abs(exact)) << t;
  EXPECT_NEAR(of_t.reciprocal * t, 1.0, units) << t;
}

TEST(EpPoint, LogarithmAndReciprocalAreWithinFourUnitsOfTheLastPlace) {
  for (std::uint64_t n = 0; n < 100000; ++n) {
    const double u = 0.5 * (random_symmetric(1, n) + 1.0);
    expect_logarithm_and_reciprocal(u + 0x1p-60);
    expect_logarithm_and_reciprocal(std::exp2(-80.0 * u));
    expect_logarithm_and_reciprocal(1.0 - 0.01 * u);
  }
}

TEST(EpPoint, LogarithmAtTheEndsOfItsIntervals) {
  EXPECT_EQ(logarithm_and_reciprocal(1.0).logarithm, 0.0);
  EXPECT_EQ(logarithm_and_reciprocal(1.0).reciprocal, 1.0);
  for (const double t : {0x1.fffffffffffffp-1, 0.5, std::sqrt(0.5), 0x1p-89, 0.70710678118654746,
                         0.70710678118654757, 0x1p-1022}) {
    expect_logarithm_and_reciprocal(t);
  }
}

TEST(EpPoint, BinsBelowEight) {
  for (std::uint64_t bin = 0; bin < 8; ++bin) {
    const auto first = static_cast<double>(bin);
    EXPECT_EQ(bin_below_8(first), bin);
    EXPECT_EQ(bin_below_8(first + 0.5), bin);
    EXPECT_EQ(bin_below_8(first + 1.0 - 0x1p-49), bin);
  }
}

/// The shortest vector but 0 of the lattice of all (x, y) that numbers of the sequence, as
/// symmetric values times 2^45, and those after them can be: by Gauss' algorithm.
std::array<double, 2> shortest_pair() {
  using Vector = std::array<double, 2>;
  const auto product = [](const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1]; };
  Vector shorter{1.0, static_cast<double>(generator_factor)};
  Vector longer{0.0, static_cast<double>(generator_modulus)};
  while (true) {
    const double times = std::round(product(shorter, longer) / product(shorter, shorter));
    if (times == 0.0) {
      return shorter;
    }
    longer = {longer[0] - times * shorter[0], longer[1] - times * shorter[1]};
    if (product(longer, longer) < product(shorter, shorter)) {
      std::swap(shorter, longer);
    }
  }
}

/// max(|X|, |Y|) <= sqrt(X^2 + Y^2) = sqrt(-2 ln t), which is largest for the shortest pair.
TEST(EpPoint, NoDeviateOfTheSequenceIsAbove7_86) {
  const std::array<double, 2> pair = shortest_pair();
  const double x = std::ldexp(pair[0], -(generator_bits - 1));
  const double y = std::ldexp(pair[1], -(generator_bits - 1));
  EXPECT_EQ(symmetric_after<1>(x), y);
  const double largest = std::sqrt(-2.0 * std::log(x * x + y * y));
  EXPECT_GT(largest, 7.85);
  EXPECT_LT(largest, 7.86);
}

}  // namespace
}  // namespace bankfull::npb::ep
