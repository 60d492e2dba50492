#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cstdint>

namespace bankfull {

/// The n-th 64-bit number of the random sequence `seed`, computed directly, so that every cell of a
/// field gets its value in any order and on any device. This is the output function of SplitMix64
/// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
BANKFULL_HOST_DEVICE constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// The same as a number in [-1, 1) with 24 random bits, hence exact in fp32 and fp64 alike.
BANKFULL_HOST_DEVICE constexpr double random_symmetric(std::uint64_t seed, std::uint64_t n) {
  return static_cast<double>(random_bits(seed, n) >> 40) * 0x1p-23 - 1.0;
}

}  // namespace bankfull
