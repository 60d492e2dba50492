#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/npb/ep/deviate_bins.hpp"
#include "bankfull/workloads/npb/ep/log_table.hpp"
#include "bankfull/workloads/npb/ep/point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace bankfull::npb::ep {
namespace {

using Table = KernelLogTable;

Table::Interval interval_of(double t) {
  return Table::interval(Table::number(t) - Table::first(), 1.0);
}

double by_table(double t) { return Table::minus_two_log(t, interval_of(t)); }

std::uint32_t mark_of(double t) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(interval_of(t).reciprocal));
}

TEST(EpLogTable, IsWithinWhatTheSeriesLeavesOutAndTwoUnitsOfTheLastPlace) {
  for (std::uint64_t n = 0; n < 1000000; ++n) {
    const double u = 0.5 * (random_symmetric(1, n) + 1.0);
    for (const double t : {u, 0x1p-12 * u}) {
      if (t < Table::smallest || t >= 1.0) {
        continue;
      }
      const double exact = -2.0 * std::log(t);
      EXPECT_LE(
          std::abs(by_table(t) - exact),
          Table::max_error + 2.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, exact))
          << t;
    }
  }
}

TEST(EpLogTable, IsPreciseTowardsOne) {
  for (int n = 9; n <= 53; ++n) {
    const double r = std::exp2(-n);
    const double exact = -2.0 * std::log1p(-r);
    const double left_out = Table::share * std::pow(Table::largest * r, 2) / 5.0;
    EXPECT_NEAR(by_table(1.0 - r), exact,
                (4.0 * std::numeric_limits<double>::epsilon() + left_out) * exact)
        << n;
  }
}

TEST(EpLogTable, MarksWhatHasNoLogarithmHere) {
  for (const double t : {1.0, 1.25, std::nextafter(2.0, 0.0)}) {
    EXPECT_EQ(by_table(t), 0.0);
    EXPECT_EQ(mark_of(t), Table::rejected);
  }
  for (const double t : {std::nextafter(Table::smallest, 0.0), 0x1p-89}) {
    EXPECT_EQ(by_table(t), 0.0);
    EXPECT_EQ(mark_of(t), Table::too_small);
  }
  for (const double t : {Table::smallest, 0.5, std::nextafter(1.0, 0.0)}) {
    EXPECT_EQ(mark_of(t), 0U);
  }
}

TEST(EpLogTable, ScalesLogarithmsAndLeavesWhatHasNone) {
  constexpr double scale = 1.5;
  for (std::uint32_t n = 0; n < Table::intervals; ++n) {
    const Table::Interval once = Table::interval(n, 1.0);
    const Table::Interval scaled = Table::interval(n, scale);
    EXPECT_EQ(scaled.reciprocal, once.reciprocal) << n;
    const bool has_logarithm = once.reciprocal >= 0.5;  // marks are tiny numbers
    EXPECT_EQ(scaled.offset, has_logarithm ? scale * once.offset : once.offset) << n;
  }
}

TEST(EpDeviateBins, ShiftedStatesGiveTheSameValues) {
  std::uint64_t state = seed;
  for (int n = 0; n < 1000; ++n) {
    state *= generator_factor;
    EXPECT_EQ(shifted_symmetric_value(state << shifted_bits), symmetric_value(state));
  }
}

int bin_of(double x, double y) {
  int bin = 0;
  for (int l = 1; l < bins; ++l) {
    bin += l * static_cast<int>(packed_count(packed_one(bin_class(x, y)), l));
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

}  // namespace
}  // namespace bankfull::npb::ep
