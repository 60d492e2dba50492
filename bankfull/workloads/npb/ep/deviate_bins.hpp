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
// determined by bits of the number's upper half. The packed counts of all bins are incremented by
// an addition to each of two words.

/// X and Y come times this. The larger of an accepted pair is below 16, as t >= 2^-89, and at least
/// 2^-27, as t <= 1 - 2^-53. Their binades, 31 in number, then have biased exponents from 993 to
/// 1023, of which the last five bits are different, and never 0. So bits of the exponent need no
/// bounds, and are 0 for deviates 0 of a rejected pair alone.
inline constexpr double deviate_scale = 0.125;

inline constexpr std::uint32_t bin_classes = 256;

/// Counts of bins from 1 on: seven bits each, of four bins a word, and those of the last bin, which
/// no pair is in (ep_point_test.cpp), in the four bits that are left.
struct alignas(8) PackedCounts {
  std::uint32_t usual;  ///< bins 1 to 4
  std::uint32_t rare;   ///< bins 5 to 8, and 9
};

inline constexpr int packed_bits = 7;
inline constexpr int packed_bins = 4;  ///< of a word
inline constexpr int max_packed = (1 << packed_bits) - 1;

/// Upper half of the larger deviate. Upper halves of positive numbers have the order of the fp32
/// numbers of these bits, and fp32 units can take a maximum of magnitudes at once.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t larger_high_word(double x, double y) {
  const auto high = [](double value) {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32));
  };
  return std::bit_cast<std::uint32_t>(std::fmax(std::fabs(high(x)), std::fabs(high(y))));
}

inline constexpr int bin_class_shift = 17;

/// Five bits of the exponent and three of the mantissa; x and y times `deviate_scale`.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t bin_class(double x, double y) {
  return larger_high_word(x, y) >> bin_class_shift & (bin_classes - 1);
}

/// The increment of the packed counts for a pair of a class.
BANKFULL_HOST_DEVICE constexpr PackedCounts packed_one(std::uint32_t bin_class) {
  constexpr std::uint32_t of_one = 28;  // last bits of the exponent of 1, scaled
  const std::uint32_t exponent = bin_class / 8;
  if (exponent < of_one) {
    return {0, 0};
  }
  const std::uint32_t bin = ((8 + bin_class % 8) << (exponent - of_one)) / 8;
  const std::uint32_t n = (bin < bins ? bin : bins - 1) - 1;
  const std::uint32_t one = std::uint32_t{1}
                            << (packed_bits * (n < packed_bins ? n : n - packed_bins));
  return n < packed_bins ? PackedCounts{one, 0} : PackedCounts{0, one};
}

/// The count of a bin from 1 on.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE std::uint32_t packed_count(PackedCounts packed,
                                                                       int bin) {
  const int n = bin - 1;
  const std::uint32_t word = n < packed_bins ? packed.usual : packed.rare;
  return word >> (packed_bits * (n < packed_bins ? n : n - packed_bins)) &
         static_cast<std::uint32_t>(max_packed);
}

}  // namespace bankfull::npb::ep
