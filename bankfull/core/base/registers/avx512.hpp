#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <immintrin.h>

namespace bankfull {

/// Of one SIMD register of the instructions that this translation unit is compiled for: 16 to 64.
inline constexpr int register_bytes = 64;
/// How many SIMD registers these instructions can name: what a kernel may keep in them.
inline constexpr int register_count = 32;

namespace detail {

using RegisterBits = __m512i;

BANKFULL_ALWAYS_INLINE __m512 fused_multiply_add(__m512 x, __m512 y, __m512 z) {
  return _mm512_fmadd_ps(x, y, z);
}
BANKFULL_ALWAYS_INLINE __m512d fused_multiply_add(__m512d x, __m512d y, __m512d z) {
  return _mm512_fmadd_pd(x, y, z);
}

BANKFULL_ALWAYS_INLINE void stream_register(void* to, RegisterBits x) {
  _mm512_stream_si512(static_cast<__m512i*>(to), x);
}
BANKFULL_ALWAYS_INLINE void fence_streams() { _mm_sfence(); }

/// By the intrinsics that say what masked lanes hold: g++ 12 warns about the others' uninitialised
/// reads, and converts the compiler's vectors in halves that it puts together again.
template <int Half>
BANKFULL_ALWAYS_INLINE __m512d widened(__m512 x) {
  constexpr __mmask8 all = 0xff;
  return _mm512_maskz_cvtps_pd(all, _mm512_maskz_extractf32x8_ps(all, x, Half));
}

}  // namespace detail
}  // namespace bankfull
