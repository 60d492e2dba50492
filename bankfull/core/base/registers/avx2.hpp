#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <immintrin.h>

namespace bankfull {

/// Of one SIMD register of the instructions that this translation unit is compiled for: 16 to 64.
inline constexpr int register_bytes = 32;
/// How many SIMD registers these instructions can name: what a kernel may keep in them.
inline constexpr int register_count = 16;

namespace detail {

using RegisterBits = __m256i;

BANKFULL_ALWAYS_INLINE __m256 fused_multiply_add(__m256 x, __m256 y, __m256 z) {
  return _mm256_fmadd_ps(x, y, z);
}
BANKFULL_ALWAYS_INLINE __m256d fused_multiply_add(__m256d x, __m256d y, __m256d z) {
  return _mm256_fmadd_pd(x, y, z);
}

BANKFULL_ALWAYS_INLINE void stream_register(void* to, RegisterBits x) {
  _mm256_stream_si256(static_cast<__m256i*>(to), x);
}
BANKFULL_ALWAYS_INLINE void fence_streams() { _mm_sfence(); }

template <int Half>
BANKFULL_ALWAYS_INLINE __m256d widened(__m256 x) {
  return _mm256_cvtps_pd(_mm256_extractf128_ps(x, Half));
}

}  // namespace detail
}  // namespace bankfull
