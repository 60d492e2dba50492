#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/npb/ep/point.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

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

void expect_logarithm(double t) {
  const double exact = std::log(t);
  const double ulp = std::abs(exact) * std::numeric_limits<double>::epsilon();
  EXPECT_LE(std::abs(logarithm(t) - exact), 2.0 * ulp) << t;
}

TEST(EpPoint, LogarithmIsWithinTwoUnitsOfTheLastPlace) {
  for (std::uint64_t n = 0; n < 100000; ++n) {
    const double u = 0.5 * (random_symmetric(1, n) + 1.0);
    expect_logarithm(u + 0x1p-60);
    expect_logarithm(std::exp2(-80.0 * u));
    expect_logarithm(1.0 - 0.01 * u);
  }
}

TEST(EpPoint, LogarithmAtTheEndsOfItsIntervals) {
  EXPECT_EQ(logarithm(1.0), 0.0);
  for (const double t : {0x1.fffffffffffffp-1, 0.5, std::sqrt(0.5), 0x1p-89, 0.70710678118654746,
                         0.70710678118654757, 0x1p-1022}) {
    expect_logarithm(t);
  }
}

}  // namespace
}  // namespace bankfull::npb::ep
