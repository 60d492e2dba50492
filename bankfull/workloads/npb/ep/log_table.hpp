#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/ep/factor.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::ep {

/// Upper half of a number's bits; of positive numbers it has their order.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t high_word(double value) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
}

/// Logarithms by a table, for devices on which a look-up is faster than a division: what
/// `scaled_logarithm` needs where t lies in an interval (factor.hpp). Building the table is part of
/// the timed region.
///
/// A binade is cut into 2^Log2Intervals intervals. The binade [1, 2) serves rejected pairs: the
/// logarithm of t in it is 0. The same holds for t below the table, which is rare. The lower 32
/// bits of C mark these cases.
template <int Log2Intervals>
struct LogTable {
  static_assert(Log2Intervals >= 8, "longer intervals need a longer series");

  struct alignas(16) Interval {
    double reciprocal;  ///< C, near lambda / t
    double offset;
  };

  static constexpr int log2_intervals = Log2Intervals;
  static constexpr int binades = 16;  ///< below 1; what is smaller is rare
  static constexpr double smallest = 1.0 / (1 << binades);
  static constexpr int shift = 20 - Log2Intervals;  ///< of a high word, whose mantissa has 20 bits
  static constexpr std::size_t intervals = 1 + (std::size_t{binades + 1} << Log2Intervals);

  // Lower 32 bits of C; else 0.
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

  /// What the series leaves out of -2 ln t: of -2/5 r^5 Chebyshev's polynomial, and r^6 / 3.
  static constexpr double max_error =
      (1.0 / 40.0 + largest / 3.0) * largest * largest * largest * largest * largest;

  /// Interval n of the table, n < intervals; the logarithms in it are multiplied by `scale`.
  BANKFULL_HOST_DEVICE static Interval interval(std::uint32_t n, const FactorConstants& k,
                                                double scale) {
    const std::uint64_t number = std::uint64_t{first()} + n;
    if (n == 0) {
      return without_logarithm(too_small, k);
    }
    if (number >= number_of_one) {
      return without_logarithm(rejected, k);
    }
    const double c = upper_half(k.lambda / middle_of(number));
    const double quotient = c / k.lambda;
    const double rest = std::fma(-quotient, k.lambda, c) / c;  // of the quotient, relative to it
    const double logarithm = 2.0 * (std::log(quotient) + rest);
    return {c, std::fma(scale * k.sigma, logarithm, k.constant)};
  }

 private:
  static constexpr std::uint64_t number_of_one = std::uint64_t{1023} << Log2Intervals;

  /// So small a number C that R is kappa for every t.
  BANKFULL_HOST_DEVICE static Interval without_logarithm(std::uint32_t mark,
                                                         const FactorConstants& k) {
    return {std::bit_cast<double>(std::uint64_t{mark}), k.of_nothing};
  }

  BANKFULL_HOST_DEVICE static double middle_of(std::uint64_t interval_number) {
    const auto begin = std::bit_cast<double>(interval_number << (32 + shift));
    const auto end = std::bit_cast<double>((interval_number + 1) << (32 + shift));
    return 0.5 * (begin + end);
  }

  /// The lower half is for marks.
  BANKFULL_HOST_DEVICE static double upper_half(double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) >> 32 << 32);
  }
};

/// The table of the kernel on GPUs.
inline constexpr int kernel_log2_intervals = 9;
using KernelLogTable = LogTable<kernel_log2_intervals>;

}  // namespace bankfull::npb::ep
