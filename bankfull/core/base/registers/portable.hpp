#pragma once

#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "bankfull/core/base/host_device.hpp"

namespace bankfull {

/// Of one SIMD register of the instructions that this translation unit is compiled for: 16 to 64.
inline constexpr int register_bytes = 16;
/// How many SIMD registers these instructions can name: what a kernel may keep in them.
inline constexpr int register_count = 16;

namespace detail {

using FourFloats [[gnu::vector_size(16)]] = float;
using TwoDoubles [[gnu::vector_size(16)]] = double;
using RegisterBits [[gnu::vector_size(16)]] = long long;

BANKFULL_ALWAYS_INLINE FourFloats fused_multiply_add(FourFloats x, FourFloats y, FourFloats z) {
  return FourFloats{std::fma(x[0], y[0], z[0]), std::fma(x[1], y[1], z[1]),
                    std::fma(x[2], y[2], z[2]), std::fma(x[3], y[3], z[3])};
}
BANKFULL_ALWAYS_INLINE TwoDoubles fused_multiply_add(TwoDoubles x, TwoDoubles y, TwoDoubles z) {
  return TwoDoubles{std::fma(x[0], y[0], z[0]), std::fma(x[1], y[1], z[1])};
}

#if defined(__SSE2__)
BANKFULL_ALWAYS_INLINE void stream_register(void* to, RegisterBits x) {
  _mm_stream_si128(static_cast<__m128i*>(to), x);
}
BANKFULL_ALWAYS_INLINE void fence_streams() { _mm_sfence(); }
#else
BANKFULL_ALWAYS_INLINE void stream_register(void* to, RegisterBits x) {
  std::memcpy(to, &x, sizeof x);
}
BANKFULL_ALWAYS_INLINE void fence_streams() {}
#endif

template <int Half>
BANKFULL_ALWAYS_INLINE TwoDoubles widened(FourFloats x) {
  return TwoDoubles{static_cast<double>(x[2 * Half]), static_cast<double>(x[2 * Half + 1])};
}

}  // namespace detail
}  // namespace bankfull
