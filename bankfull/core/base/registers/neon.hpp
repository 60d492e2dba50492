#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <arm_neon.h>

namespace bankfull {

/// Of one SIMD register of the instructions that this translation unit is compiled for: 16 to 64.
inline constexpr int register_bytes = 16;
/// How many SIMD registers these instructions can name: what a kernel may keep in them.
inline constexpr int register_count = 32;

namespace detail {

using RegisterBits = uint8x16_t;

BANKFULL_ALWAYS_INLINE float32x4_t fused_multiply_add(float32x4_t x, float32x4_t y, float32x4_t z) {
  return vfmaq_f32(z, x, y);
}
BANKFULL_ALWAYS_INLINE float64x2_t fused_multiply_add(float64x2_t x, float64x2_t y, float64x2_t z) {
  return vfmaq_f64(z, x, y);
}

/// A plain store: AArch64's processors notice whole lines that are written in a row and do not read
/// them first.
BANKFULL_ALWAYS_INLINE void stream_register(void* to, RegisterBits x) {
  vst1q_u8(static_cast<uint8_t*>(to), x);
}
BANKFULL_ALWAYS_INLINE void fence_streams() {}

template <int Half>
BANKFULL_ALWAYS_INLINE float64x2_t widened(float32x4_t x) {
  if constexpr (Half == 0) {
    return vcvt_f64_f32(vget_low_f32(x));
  } else {
    return vcvt_high_f64_f32(x);
  }
}

}  // namespace detail
}  // namespace bankfull
