#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace bankfull::npb::ep {

/// 2 v - 1 for the value v in (0, 1) of a state, whose bits above 2^46 do not count: exact, by
/// setting the state into the mantissa of a number in [2, 4).
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double symmetric_value(std::uint64_t state) {
  constexpr int mantissa_bits = 52;
  constexpr std::uint64_t bits_of_two = 0x4000000000000000;
  const std::uint64_t mantissa = (state << (64 - generator_bits)) >> (64 - mantissa_bits);
  return std::bit_cast<double>(mantissa | bits_of_two) - 3.0;
}

/// The centred factor of so many steps: a^steps mod 2^46 or that minus 2^46, the smaller.
constexpr double centred_jump(std::uint64_t steps) {
  const std::uint64_t jump = generator_jump(steps);
  const bool upper = jump > generator_modulus / 2;
  return upper ? -static_cast<double>(generator_modulus - jump) : static_cast<double>(jump);
}

/// 2 v' - 1 from 2 v - 1, where v' follows v by so many steps of the sequence; exact.
///
/// Factors A are odd, so that 2^45 (2 v - 1) = s - 2^45 of states s is multiplied like s itself:
/// x' = A x - 2 k, with the k that makes it less than 1. In [2^53, 2^54) numbers are 2 apart, and
/// A x is not halfway between two of them, as it would be for a state 0 only: the first
/// multiply-add rounds it to 2 k. A x - 2 k is a multiple of 2^-45, of 46 bits.
template <std::uint64_t Steps>
BANKFULL_ALWAYS_INLINE double symmetric_after(double x) {
  constexpr double factor = centred_jump(Steps);
  constexpr double apart_by_2 = 0x1.8p53;
  const double even = std::fma(x, factor, apart_by_2) - apart_by_2;
  return std::fma(x, factor, -even);
}

/// The whole part of 0 <= x < 8, where less than 2^-50 below a whole number may count as it: from
/// the bits of x + 8.
BANKFULL_ALWAYS_INLINE std::uint64_t bin_below_8(double x) {
  constexpr int bits_after_three = 49;
  constexpr std::uint64_t three = 7;
  return std::bit_cast<std::uint64_t>(x + 8.0) >> bits_after_three & three;
}

struct LogarithmAndReciprocal {
  double logarithm;
  double reciprocal;
};

/// ln t and 1 / t of a normal number 0 < t <= 1, within about four units in the last place, by one
/// division: m 2^e with sqrt(1/2) <= m < sqrt(2), and ln m = 2 artanh s, s = (m - 1) / (m + 1).
///
/// The series is the polynomial of least largest error for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1),
/// found by Remez' algorithm: 2^-59 of ln m. No branches and no tables, so that loops around it
/// become vector instructions.
BANKFULL_ALWAYS_INLINE LogarithmAndReciprocal logarithm_and_reciprocal(double t) {
  constexpr double two_to_52 = 0x1p52;
  constexpr std::uint64_t bits_of_two_to_52 = 0x4330000000000000;
  constexpr std::uint64_t bits_of_one = 0x3ff0000000000000;
  constexpr std::uint64_t bits_of_root_half = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t fraction = 0x000fffffffffffff;
  constexpr int fraction_bits = 52;
  constexpr double bias = 1023.0;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(t) + (bits_of_one - bits_of_root_half);
  const auto m = std::bit_cast<double>((bits & fraction) + bits_of_root_half);
  const double e =
      std::bit_cast<double>((bits >> fraction_bits) | bits_of_two_to_52) - (two_to_52 + bias);
  const double m_and_one = m + 1.0;
  const double reciprocal_of_both = 1.0 / (m_and_one * t);
  const double s = (m - 1.0) * (t * reciprocal_of_both);
  const double z = s * s;
  double series = 0x1.2ed244554c95ap-3;
  series = std::fma(series, z, 0x1.39a7315d388d6p-3);
  series = std::fma(series, z, 0x1.746603c87da94p-3);
  series = std::fma(series, z, 0x1.c71c53494d480p-3);
  series = std::fma(series, z, 0x1.2492494030aebp-2);
  series = std::fma(series, z, 0x1.999999998234bp-2);
  series = std::fma(series, z, 0x1.5555555555589p-1);
  const double logarithm_of_m = std::fma(s * z, series, s + s);
  return {.logarithm = std::fma(e, std::numbers::ln2, logarithm_of_m),
          .reciprocal = m_and_one * reciprocal_of_both};
}

}  // namespace bankfull::npb::ep
