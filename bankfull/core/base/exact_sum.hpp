#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bankfull {

/// A sum of doubles that loses none of their bits until it is read, so that it does not depend on
/// the order in which they are added, nor on how they are spread over threads or ranks: for sums
/// that control a run or are reported by it. An addition takes some nanoseconds: add whole rows
/// that a plain loop has summed.
///
/// A fixed-point number from 2^-1074, the least double, to beyond the largest one, in digits of 32
/// bits. Plain data: ranks may exchange it.
class ExactSum {
 public:
  /// Infinities and NaN are summed as doubles beside the others: the value is then that sum.
  void add(double value) {
    if (!std::isfinite(value)) {
      beyond_ += value;
      return;
    }
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto exponent = static_cast<std::int64_t>(bits >> mantissa_bits & exponent_mask);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
    // Subnormal numbers have the place of the smallest normal ones, and no leading one.
    const std::uint64_t mantissa =
        exponent > 0 ? fraction | std::uint64_t{1} << mantissa_bits : fraction;
    add_at(exponent > 0 ? exponent - 1 : 0, mantissa, bits >> 63 != 0);
  }

  /// Adds all that the other one has summed, as exactly.
  void add(const ExactSum& other) {
    beyond_ += other.beyond_;
    for (std::size_t n = 0; n < digits; ++n) {
      digit_[n] += other.digit_[n];
    }
    count(other.additions_ + 1);
  }

  /// To within a unit in the last place.
  [[nodiscard]] double value() const {
    if (beyond_ != 0.0) {  // or NaN
      return beyond_;
    }
    ExactSum positive = *this;
    positive.carry();
    const bool is_negative = positive.digit_.back() < 0;
    if (is_negative) {
      for (std::int64_t& digit : positive.digit_) {
        digit = -digit;
      }
      positive.carry();
    }
    double sum = 0.0;
    for (std::size_t n = digits; n-- > 0;) {
      sum += std::ldexp(static_cast<double>(positive.digit_[n]),
                        static_cast<int>(n) * digit_bits + min_exponent);
    }
    return is_negative ? -sum : sum;
  }

 private:
  static constexpr int mantissa_bits = 52;
  static constexpr std::uint64_t exponent_mask = 0x7ff;
  static constexpr int digit_bits = 32;
  static constexpr int min_exponent = -1074;
  static constexpr std::uint64_t digit_mask = 0xffffffff;

  /// Enough for every double, and two more for sums of many.
  static constexpr std::size_t digits = 68;

  /// Digits have 63 bits: carries may wait for so many numbers of 32.
  static constexpr std::int64_t max_additions = std::int64_t{1} << 30;

  /// Adds mantissa 2^(place + min_exponent).
  void add_at(std::int64_t place, std::uint64_t mantissa, bool is_negative) {
    const auto first = static_cast<std::size_t>(place / digit_bits);
    const int shift = static_cast<int>(place % digit_bits);
    // The low half of the mantissa moves up to 31 bits, and so does the high one.
    const std::uint64_t low = (mantissa & digit_mask) << shift;
    const std::uint64_t high = (mantissa >> digit_bits) << shift;
    add_to(first, low & digit_mask, is_negative);
    add_to(first + 1, (low >> digit_bits) + (high & digit_mask), is_negative);
    add_to(first + 2, high >> digit_bits, is_negative);
    count(1);
  }

  void add_to(std::size_t n, std::uint64_t amount, bool is_negative) {
    const auto signed_amount = static_cast<std::int64_t>(amount);
    digit_[n] += is_negative ? -signed_amount : signed_amount;
  }

  void count(std::int64_t additions) {
    additions_ += additions;
    if (additions_ >= max_additions) {
      carry();
    }
  }

  /// All digits but the last become what they are called.
  void carry() {
    for (std::size_t n = 0; n + 1 < digits; ++n) {
      const std::int64_t over = digit_[n] >> digit_bits;
      digit_[n] -= over * (std::int64_t{1} << digit_bits);
      digit_[n + 1] += over;
    }
    additions_ = 1;
  }

  std::array<std::int64_t, digits> digit_{};
  std::int64_t additions_ = 0;  ///< since the last carry, at most
  double beyond_ = 0.0;         ///< sum of what was not finite
};

}  // namespace bankfull
