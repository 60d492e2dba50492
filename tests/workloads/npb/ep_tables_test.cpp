#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/npb/ep/deviate_bins.hpp"
#include "bankfull/workloads/npb/ep/factor.hpp"
#include "bankfull/workloads/npb/ep/log_table.hpp"
#include "bankfull/workloads/npb/ep/point.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace bankfull::npb::ep {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

template <class T>
class EpLogTable : public testing::Test {
 protected:
  using Table = T;

  [[nodiscard]] static typename T::Interval interval_of(double t) {
    return T::interval(T::number(t) - T::first(), constants(), 1.0);
  }

  [[nodiscard]] static const FactorConstants& constants() {
    static const FactorConstants made = factor_constants(T::log2_intervals, deviate_scale);
    return made;
  }

  /// sigma (-2 ln t)
  [[nodiscard]] static double scaled(double t) {
    const auto interval = interval_of(t);
    return scaled_logarithm(t, interval.reciprocal, interval.offset, constants());
  }

  /// -2 ln t
  [[nodiscard]] static double by_table(double t) {
    return static_cast<double>(static_cast<long double>(scaled(t)) / constants().sigma);
  }

  [[nodiscard]] static std::uint32_t mark_of(double t) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(interval_of(t).reciprocal));
  }

  /// sqrt(-2 ln t / t), from a root as coarse as that of the GPU's instruction.
  [[nodiscard]] static double factor_of(double t) {
    const double m = scaled(t);
    const double u = under_root(m, t);
    const double coarse = 1.0 / std::sqrt(u);
    const auto guess = std::bit_cast<double>(std::bit_cast<std::uint64_t>(coarse) >> 32 << 32);
    return factor(m, u, guess, constants()) / deviate_scale;
  }
};

using Tables = testing::Types<LogTable<8>, KernelLogTable>;
TYPED_TEST_SUITE(EpLogTable, Tables);

std::vector<double> numbers_below_one() {
  std::vector<double> all;
  for (std::uint64_t n = 0; n < 500000; ++n) {
    const double u = 0.5 * (random_symmetric(1, n) + 1.0);
    for (const double t : {u, 0x1p-12 * u, 1.0 - 0x1p-12 * u}) {
      if (t >= 0x1p-16 && t < 1.0) {
        all.push_back(t);
      }
    }
  }
  return all;
}

TYPED_TEST(EpLogTable, IsWithinWhatTheSeriesLeavesOutAndTwoUnitsOfTheLastPlace) {
  for (const double t : numbers_below_one()) {
    const double exact = -2.0 * std::log(t);
    ASSERT_LE(std::abs(TestFixture::by_table(t) - exact),
              TypeParam::max_error + 2.0 * unit * std::max(1.0, exact))
        << t;
  }
}

TYPED_TEST(EpLogTable, GivesNothingToWhatHasNoLogarithmHere) {
  for (const double t : {1.0, 1.25, 1.9, std::nextafter(2.0, 0.0)}) {
    EXPECT_EQ(TestFixture::scaled(t), 0.0);
    EXPECT_EQ(TestFixture::factor_of(t), 0.0);
    EXPECT_EQ(TestFixture::mark_of(t), TypeParam::rejected);
  }
  for (const double t : {std::nextafter(TypeParam::smallest, 0.0), 0x1p-89}) {
    EXPECT_EQ(TestFixture::scaled(t), 0.0);
    EXPECT_EQ(TestFixture::factor_of(t), 0.0);
    EXPECT_EQ(TestFixture::mark_of(t), TypeParam::too_small);
  }
  for (const double t : {TypeParam::smallest, 0.5, std::nextafter(1.0, 0.0)}) {
    EXPECT_EQ(TestFixture::mark_of(t), 0U);
  }
}

TYPED_TEST(EpLogTable, ScalesLogarithmsAndLeavesWhatHasNone) {
  constexpr double scale = 1.5;
  const FactorConstants& k = TestFixture::constants();
  for (std::uint32_t n = 0; n < TypeParam::intervals; ++n) {
    const auto once = TypeParam::interval(n, k, 1.0);
    const auto scaled = TypeParam::interval(n, k, scale);
    EXPECT_EQ(scaled.reciprocal, once.reciprocal) << n;
    const bool has_logarithm = once.reciprocal >= 0.5 * k.lambda;  // marks are tiny numbers
    if (has_logarithm) {
      EXPECT_NEAR(scaled.offset - k.constant, scale * (once.offset - k.constant), 4.0 * unit);
    } else {
      EXPECT_EQ(scaled.offset, once.offset) << n;
    }
  }
}

/// Relative errors of factors for t < 0.9, in units of 2^-52.
struct FactorErrors {
  double largest = 0.0;
  double root_mean_square = 0.0;
};

template <class FactorOf>
FactorErrors errors_of(const FactorOf& factor_of) {
  FactorErrors errors;
  double squares = 0.0;
  double count = 0.0;
  for (const double t : numbers_below_one()) {
    if (t >= 0.9) {
      continue;
    }
    const long double wide = t;
    const long double exact = std::sqrt(-2.0L * std::log(wide) / wide);
    const double error =
        static_cast<double>((static_cast<long double>(factor_of(t)) - exact) / exact) / unit;
    errors.largest = std::max(errors.largest, std::abs(error));
    squares += error * error;
    count += 1.0;
  }
  errors.root_mean_square = std::sqrt(squares / count);
  return errors;
}

TYPED_TEST(EpLogTable, GivesFactorsWithinUnitsOfTheLastPlace) {
  const FactorErrors errors = errors_of([](double t) { return TestFixture::factor_of(t); });
  constexpr bool short_intervals = TypeParam::log2_intervals > 8;
  EXPECT_LE(errors.largest, short_intervals ? 3.0 : 11.0);
  EXPECT_LE(errors.root_mean_square, short_intervals ? 0.6 : 2.0);
  this->RecordProperty("largest", std::to_string(errors.largest));
  this->RecordProperty("root_mean_square", std::to_string(errors.root_mean_square));
}

/// Errors of x f, t = x^2 + y^2 = 1 - distance, in units of 2^-52 / sqrt(distance), which a change
/// of t by 2^-52 would make. x and y are exact, the exact logarithm is that of the exact sum.
template <class FactorOf>
double error_near_one(int log2_distance, const FactorOf& factor_of) {
  const double distance = std::ldexp(1.0, -log2_distance);
  double largest = 0.0;
  for (std::uint64_t n = 0; n < 2000; ++n) {
    const double angle = 0.78 * (random_symmetric(2, n) + 1.0);
    const double radius = std::sqrt(1.0 - distance);
    const double x = radius * std::cos(angle);
    const double y = radius * std::sin(angle);
    const double t = std::fma(x, x, y * y);
    if (t >= 1.0) {
      continue;
    }
    const long double wide_x = x;
    const long double wide_y = y;
    const long double exact_distance = (1.0L - wide_x) * (1.0L + wide_x) - wide_y * wide_y;
    const long double exact =
        wide_x * std::sqrt(-2.0L * std::log1p(-exact_distance) / (1.0L - exact_distance));
    const auto error = static_cast<double>(x * factor_of(t) - exact);
    largest = std::max(largest, std::abs(error) / unit * std::sqrt(distance));
  }
  return largest;
}

TYPED_TEST(EpLogTable, IsOffTowardsOneByWhatARoundingOfTheSquaresMakes) {
  constexpr double most = TypeParam::log2_intervals > 8 ? 0.7 : 1.5;
  for (int log2_distance = 2; log2_distance <= 40; ++log2_distance) {
    EXPECT_LE(error_near_one(log2_distance, [](double t) { return TestFixture::factor_of(t); }),
              most)
        << log2_distance;
  }
}

TYPED_TEST(EpLogTable, GivesTheDeviatesOfThePairsOfNpb) {
  Generator generator(seed);
  for (int n = 0; n < 200000; ++n) {
    const double x = 2.0 * generator.draw() - 1.0;
    const double y = 2.0 * generator.draw() - 1.0;
    const double t = x * x + y * y;
    const double found = TestFixture::factor_of(t);
    if (t < TypeParam::smallest || t > 1.0) {
      EXPECT_EQ(found, 0.0);
      continue;
    }
    const double expected = std::sqrt(-2.0 * std::log(t) / t);
    ASSERT_NEAR(found, expected, 1e-10 * expected) << t;
    const int bin = static_cast<int>(std::max(std::abs(x), std::abs(y)) * expected);
    const double scaled = deviate_scale * found;
    const PackedCounts one = packed_one(bin_class(x * scaled, y * scaled));
    for (int l = 1; l < bins; ++l) {
      ASSERT_EQ(packed_count(one, l), l == bin ? 1U : 0U) << n;
    }
  }
}

TEST(EpDeviateBins, ShiftedStatesGiveTheSameValues) {
  std::uint64_t state = seed;
  for (int n = 0; n < 1000; ++n) {
    state *= generator_factor;
    EXPECT_EQ(shifted_symmetric_value(state << shifted_bits), symmetric_value(state));
  }
}

/// Of deviates that are not scaled yet.
int bin_of(double x, double y) {
  int bin = 0;
  for (int l = 1; l < bins; ++l) {
    bin += l * static_cast<int>(
                   packed_count(packed_one(bin_class(deviate_scale * x, deviate_scale * y)), l));
  }
  return bin;
}

TEST(EpDeviateBins, AreThoseOfTheLargerDeviate) {
  for (int l = 1; l < bins; ++l) {
    EXPECT_EQ(bin_of(l, 0.0), l);
    EXPECT_EQ(bin_of(0.5, -l), l);
    EXPECT_EQ(bin_of(std::nextafter(-l, 0.0), 0.1), l - 1);
  }
  EXPECT_EQ(bin_of(0.0, 0.0), 0);
}

TEST(EpDeviateBins, HaveAllThatAcceptedPairsCanGive) {
  for (double larger = 0x1p-27; larger < 1.0; larger *= 1.03) {
    EXPECT_EQ(bin_of(larger, 0.0), 0) << larger;
  }
  for (double larger = 1.0; larger < 16.0; larger += 0.0625) {
    EXPECT_EQ(bin_of(larger, -larger), std::min(static_cast<int>(larger), bins - 1)) << larger;
  }
}

TEST(EpDeviateBins, CountEachBinByItself) {
  PackedCounts packed{0, 0};
  const std::array<std::uint32_t, bins> counts{9, 64, 1, 2, 3, 4, 5, 6, 7, 8};
  for (int l = 0; l < bins; ++l) {
    for (std::uint32_t n = 0; n < counts[static_cast<std::size_t>(l)]; ++n) {
      const PackedCounts one = packed_one(bin_class(deviate_scale * (l + 0.5), 0.0));
      packed.usual += one.usual;
      packed.rare += one.rare;
    }
  }
  for (int l = 1; l < bins; ++l) {
    EXPECT_EQ(packed_count(packed, l), counts[static_cast<std::size_t>(l)]) << l;
  }
}

}  // namespace
}  // namespace bankfull::npb::ep
