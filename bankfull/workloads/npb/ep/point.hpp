#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace bankfull::npb::ep {

/// 2 v - 1 for the value v in (0, 1) of a state, whose bits above 2^46 do not count: exact, by
/// setting the state into the mantissa of a number in [2, 4).
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double symmetric_value(std::uint64_t state) {
  constexpr int mantissa_bits = 52;
  constexpr std::uint64_t bits_of_two = 0x4000000000000000;
  const std::uint64_t mantissa = (state << (64 - generator_bits)) >> (64 - mantissa_bits);
  return std::bit_cast<double>(mantissa | bits_of_two) - 3.0;
}

/// ln t of a positive normal number, within about two units in the last place: m 2^e with
/// sqrt(1/2) < m <= sqrt(2), and ln m = 2 artanh((m - 1) / (m + 1)) by its series.
///
/// No branches and no tables, so that loops around it become vector instructions.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double logarithm(double t) {
  constexpr double two_to_52 = 0x1p52;
  const auto bits = std::bit_cast<std::uint64_t>(t);
  const auto m1 = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  const double e1 = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - (two_to_52 + 1023.0);
  const bool large = m1 > 1.4142135623730951;
  const double f = large ? std::fma(m1, 0.5, -1.0) : m1 - 1.0;
  const double e = large ? e1 + 1.0 : e1;
  const double s = f / (f + 2.0);
  const double z = s * s;
  double series = 1.0 / 21.0;
  series = std::fma(series, z, 1.0 / 19.0);
  series = std::fma(series, z, 1.0 / 17.0);
  series = std::fma(series, z, 1.0 / 15.0);
  series = std::fma(series, z, 1.0 / 13.0);
  series = std::fma(series, z, 1.0 / 11.0);
  series = std::fma(series, z, 1.0 / 9.0);
  series = std::fma(series, z, 1.0 / 7.0);
  series = std::fma(series, z, 1.0 / 5.0);
  series = std::fma(series, z, 1.0 / 3.0);
  const double twice = s + s;
  return std::fma(e, 0.6931471805599453, std::fma(twice * z, series, twice));
}

}  // namespace bankfull::npb::ep
