#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace bankfull::npb::ep {

// States of the generator times 2^shifted_bits: their lower 52 bits are the mantissa of a number in
// [1, 2), and multiplying needs no mask, for what overflows does not come back.
inline constexpr int shifted_bits = 52 - generator_bits;

/// 2 v - 1 for the value v in (0, 1) of a state so shifted; exact.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double shifted_symmetric_value(std::uint64_t state) {
  constexpr std::uint64_t mantissa = 0x000fffffffffffff;
  constexpr std::uint64_t bits_of_two = 0x4000000000000000;
  return std::bit_cast<double>((state & mantissa) | bits_of_two) - 3.0;
}

// Pairs are counted by max(|X|, |Y|) in classes finer than the bins: an eighth of a binade each,
// which the upper bits of a number tell. Class 0 is below 1, the others go on to 16. A pair's
// one is added to packed counts of all bins at once.

inline constexpr std::uint32_t bin_classes = 1 + 4 * 8;
inline constexpr int packed_bits = 7;  ///< of each bin but the first
inline constexpr int most_packed = (1 << packed_bits) - 1;

BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t bin_class(double x, double y) {
  constexpr std::uint32_t magnitude = 0x7fffffff;
  constexpr std::uint32_t below_one = 0x3fefffff;
  constexpr int mantissa_bits = 17;  // of a high word, below those that tell the class
  const auto high = [](double value) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32) & magnitude;
  };
  const std::uint32_t hx = high(x);
  const std::uint32_t hy = high(y);
  const std::uint32_t larger = hx > hy ? hx : hy;
  const std::uint32_t class_from = below_one >> mantissa_bits;
  return ((larger > below_one ? larger : below_one) >> mantissa_bits) - class_from;
}

/// What a pair of a class adds to packed counts.
BANKFULL_HOST_DEVICE constexpr std::uint64_t packed_one(std::uint32_t bin_class) {
  if (bin_class == 0) {
    return 0;
  }
  const std::uint32_t eighths = (8 + (bin_class - 1) % 8) << ((bin_class - 1) / 8);
  const std::uint32_t bin = eighths / 8 < bins - 1 ? eighths / 8 : bins - 1;
  return std::uint64_t{1} << (packed_bits * (bin - 1));
}

/// The count of a bin from 1 on.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t packed_count(std::uint64_t packed,
                                                                       int bin) {
  return static_cast<std::uint32_t>(packed >> (packed_bits * (bin - 1))) &
         static_cast<std::uint32_t>(most_packed);
}

}  // namespace bankfull::npb::ep
