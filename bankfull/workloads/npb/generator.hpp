#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cstdint>

namespace bankfull::npb {

// The random numbers of all five kernels: x' = a x mod 2^46 with a = 5^13, value x 2^-46 in (0, 1).
// Source: D. Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.3. NPB computes it
// in halves of fp64 numbers; modulo 2^46 the product of 64-bit integers has the same bits.

inline constexpr int generator_bits = 46;
inline constexpr std::uint64_t generator_modulus = std::uint64_t{1} << generator_bits;
inline constexpr std::uint64_t generator_factor = 1220703125;  // 5^13

BANKFULL_HOST_DEVICE constexpr std::uint64_t multiply_modulo(std::uint64_t x, std::uint64_t y) {
  return (x * y) & (generator_modulus - 1);
}

/// a^steps mod 2^46: multiplying a state by it advances it by `steps`.
BANKFULL_HOST_DEVICE constexpr std::uint64_t generator_jump(std::uint64_t steps) {
  std::uint64_t jump = 1;
  std::uint64_t square = generator_factor;
  for (; steps > 0; steps /= 2) {
    if (steps % 2 == 1) {
      jump = multiply_modulo(jump, square);
    }
    square = multiply_modulo(square, square);
  }
  return jump;
}

/// The value in (0, 1) of a state: exact, a state has fewer bits than an fp64 number.
BANKFULL_HOST_DEVICE constexpr double unit_value(std::uint64_t state) {
  return static_cast<double>(state) * 0x1p-46;
}

/// The sequence from one seed on.
class Generator {
 public:
  BANKFULL_HOST_DEVICE explicit constexpr Generator(std::uint64_t seed) : state_(seed) {}

  /// As if `steps` numbers had been drawn from `seed`.
  BANKFULL_HOST_DEVICE constexpr Generator(std::uint64_t seed, std::uint64_t steps)
      : state_(multiply_modulo(seed, generator_jump(steps))) {}

  /// The next value in (0, 1).
  BANKFULL_HOST_DEVICE constexpr double draw() {
    state_ = multiply_modulo(state_, generator_factor);
    return unit_value(state_);
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

/// Seed of CG, FT, IS and MG.
inline constexpr std::uint64_t common_seed = 314159265;

}  // namespace bankfull::npb
