#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <immintrin.h>

namespace bankfull {

inline constexpr int register_bytes = 64;
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

/// Not by the intrinsics, for which g++ 12 warns about uninitialised reads.
template <int Half>
BANKFULL_ALWAYS_INLINE __m512d widened(__m512 x) {
  constexpr int first = 8 * Half;
  return __builtin_convertvector(
      __builtin_shufflevector(x, x, first, first + 1, first + 2, first + 3, first + 4, first + 5,
                              first + 6, first + 7),
      __m512d);
}

}  // namespace detail
}  // namespace bankfull
