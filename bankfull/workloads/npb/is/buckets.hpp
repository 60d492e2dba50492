#pragma once

#include "bankfull/workloads/npb/classes.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is {

/// A key within its bucket.
using LowBits = std::uint16_t;

/// Buckets of values that have their high bits in common, small enough for the low bits to fit 16
/// bits.
struct Buckets {
  static constexpr int max_low_bits = 16;

  /// At least 2^min_log2 buckets, if there are as many values.
  Buckets(Class size, int min_log2)
      : low_bits(std::clamp(is_parameters(size).log2_values - min_log2, 0, max_low_bits)),
        count(std::size_t{1} << (is_parameters(size).log2_values - low_bits)) {}

  int low_bits;
  std::size_t count;

  [[nodiscard]] std::size_t of(Key key) const { return key >> low_bits; }
  [[nodiscard]] LowBits rest(Key key) const {
    return static_cast<LowBits>(key & ((Key{1} << low_bits) - 1));
  }
  [[nodiscard]] std::int64_t first_value(std::size_t bucket) const {
    return static_cast<std::int64_t>(bucket) << low_bits;
  }
  [[nodiscard]] std::int64_t values() const { return std::int64_t{1} << low_bits; }
};

}  // namespace bankfull::npb::is
