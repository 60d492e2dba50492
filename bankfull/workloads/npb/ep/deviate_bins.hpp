#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace bankfull::npb::ep {

// States of the generator times 2^shifted_bits: their lower 52 bits are the mantissa of a number in
// [1, 2), and multiplication needs no mask, because overflowing bits are lost.
inline constexpr int shifted_bits = 52 - generator_bits;

inline constexpr std::uint32_t high_word_of_two = 0x40000000;

/// 2 v - 1 for the value v in (0, 1) of a state so shifted; exact. `high_of_two` is that word,
/// passed by callers that hold it in a register.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double shifted_symmetric_value(
    std::uint64_t state, std::uint32_t high_of_two = high_word_of_two) {
  const std::uint32_t high = (static_cast<std::uint32_t>(state >> 32) & 0x000fffffU) | high_of_two;
  return std::bit_cast<double>(std::uint64_t{high} << 32 | (state & 0xffffffffU)) - 3.0;
}

// Pairs are counted by max(|X|, |Y|) in classes finer than the bins: an eighth of a binade each,
// determined by the upper bits of a number. The packed counts of all bins are incremented by one
// addition.

inline constexpr std::uint32_t bin_classes = 64;
inline constexpr int packed_bits = 7;  ///< of each bin but the first
inline constexpr int max_packed = (1 << packed_bits) - 1;

/// Upper half of the larger deviate, or of 0.5, which is in the same bin as smaller ones. Upper
/// halves of positive numbers have the order of the fp32 numbers of these bits, and fp32 units can
/// take a maximum of magnitudes at once.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t larger_high_word(double x, double y) {
  const auto high = [](double value) {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32));
  };
  constexpr auto half = std::bit_cast<float>(std::uint32_t{0x3fe00000});
  const float larger = std::fmax(std::fabs(high(x)), std::fabs(high(y)));
  return std::bit_cast<std::uint32_t>(std::fmax(larger, half));
}

inline constexpr int bin_class_shift = 17;

/// Three bits of the exponent and three of the mantissa.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t bin_class(double x, double y) {
  return larger_high_word(x, y) >> bin_class_shift & (bin_classes - 1);
}

/// The increment of the packed counts for a pair of a class.
BANKFULL_HOST_DEVICE constexpr std::uint64_t packed_one(std::uint32_t bin_class) {
  // The exponents of 1/2, 1, 2, 4 and 8 end in the bits of 6, 7, 0, 1 and 2.
  const std::uint32_t exponent = (bin_class / 8 + 2) % 8;
  if (exponent == 0) {
    return 0;
  }
  const std::uint32_t bin = ((8 + bin_class % 8) << (exponent - 1)) / 8;
  return std::uint64_t{1} << (packed_bits * ((bin < bins ? bin : bins - 1) - 1));
}

/// The count of a bin from 1 on.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t packed_count(std::uint64_t packed,
                                                                       int bin) {
  return static_cast<std::uint32_t>(packed >> (packed_bits * (bin - 1))) &
         static_cast<std::uint32_t>(max_packed);
}

}  // namespace bankfull::npb::ep
