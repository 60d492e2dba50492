#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::ep {

/// Upper half of a number's bits; of positive numbers it has their order.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t high_word(double value) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
}

/// -2 ln t by a table, for devices on which a look-up is faster than a division: where t lies in an
/// interval with c near 1 / t, -2 ln t = 2 ln c - 2 ln (1 + r) with the small r = c t - 1, and a
/// short series for the second logarithm. Within `max_error` and a unit or two of the last place;
/// towards t = 1, where c is 1, what the series leaves out vanishes as r does. Building the table
/// is part of the timed region.
///
/// A binade is cut into 2^Log2Intervals intervals. The binade [1, 2) serves rejected pairs: the
/// logarithm of t in it is 0. The same holds for t below the table, which is rare. The lower 32
/// bits of c mark these cases.
template <int Log2Intervals>
struct LogTable {
  static_assert(Log2Intervals >= 8, "longer intervals need a longer series");

  struct alignas(16) Interval {
    double reciprocal;  ///< c
    double offset;      ///< 2 ln c
  };

  static constexpr int binades = 16;  ///< below 1; what is smaller is rare
  static constexpr double smallest = 1.0 / (1 << binades);
  static constexpr int shift = 20 - Log2Intervals;  ///< of a high word, whose mantissa has 20 bits
  static constexpr std::size_t intervals = 1 + (std::size_t{binades + 1} << Log2Intervals);

  // Lower 32 bits of c; else 0.
  static constexpr std::uint32_t rejected = 1;
  static constexpr std::uint32_t too_small = 1U << 16;

  /// Number of t's interval, counted from that of 0; of t below the table `first`.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static std::uint32_t number(double t) {
    const std::uint32_t number = high_word(t) >> shift;
    return number > first() ? number : first();
  }

  /// The number of the table's first interval, which stands for all t below the others.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static constexpr std::uint32_t first() {
    return (static_cast<std::uint32_t>(1023 - binades) << Log2Intervals) - 1;
  }

  /// Bound of |r|.
  static constexpr double largest = 0.5 / (1 << Log2Intervals);

  /// The series ends with r^4 / 2. Of -2/5 r^5, the next term, `share` largest^2 r^3 is the part
  /// that the third term can take: with this share the largest difference is the least. The terms
  /// after that one are a thousandth of it.
  static constexpr double share = 0.869;
  static constexpr double max_error =
      2.0 / 5.0 * (1.0 - share) * largest * largest * largest * largest * largest;

  /// The coefficient of the series that no instruction can hold beside another number.
  struct Coefficients {
    double third = -2.0 / 3.0 - 2.0 / 5.0 * share * largest * largest;
  };

  /// -2 ln (1 + r) / r for the r of an interval.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static double series(double r,
                                                                   const Coefficients& c) {
    double sum = std::fma(r, 0.5, c.third);
    sum = std::fma(r, sum, 1.0);
    return std::fma(r, sum, -2.0);
  }

  /// -2 ln t for t of this interval.
  BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE static double minus_two_log(
      double t, const Interval& interval, const Coefficients& c = {}) {
    const double r = std::fma(t, interval.reciprocal, -1.0);
    return std::fma(r, series(r, c), interval.offset);
  }

  /// Interval n of the table, n < intervals; the logarithms in it are multiplied by `scale`.
  BANKFULL_HOST_DEVICE static Interval interval(std::uint32_t n, double scale) {
    const std::uint64_t number = std::uint64_t{first()} + n;
    if (n == 0) {
      return without_logarithm(too_small);
    }
    if (number >= number_of_one) {
      return without_logarithm(rejected);
    }
    if (number == number_of_one - 1) {
      return {1.0, 0.0};
    }
    const double c = reciprocal_of(number);
    return {c, scale * (2.0 * std::log(c))};
  }

 private:
  static constexpr std::uint64_t number_of_one = std::uint64_t{1023} << Log2Intervals;

  /// r is -1 there, which the series takes to the negative of the offset.
  BANKFULL_HOST_DEVICE static Interval without_logarithm(std::uint32_t mark) {
    return {std::bit_cast<double>(std::uint64_t{mark}), series(-1.0, {})};
  }

  /// The upper 32 bits of 1 / t in the middle of an interval; the lower ones are its mark.
  BANKFULL_HOST_DEVICE static double reciprocal_of(std::uint64_t interval_number) {
    const auto begin = std::bit_cast<double>(interval_number << (32 + shift));
    const auto end = std::bit_cast<double>((interval_number + 1) << (32 + shift));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(2.0 / (begin + end)) >> 32 << 32);
  }
};

/// The table of the kernel on GPUs.
inline constexpr int kernel_log2_intervals = 8;
using KernelLogTable = LogTable<kernel_log2_intervals>;

}  // namespace bankfull::npb::ep
