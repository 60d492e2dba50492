#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <arm_sve.h>

namespace bankfull {

/// Of one SIMD register of the instructions that this translation unit is compiled for: 16 to 64.
inline constexpr int register_bytes = __ARM_FEATURE_SVE_BITS / 8;
/// How many SIMD registers these instructions can name: what a kernel may keep in them.
inline constexpr int register_count = 32;

namespace detail {

using SveFloats [[gnu::vector_size(register_bytes)]] = float;
using SveDoubles [[gnu::vector_size(register_bytes)]] = double;
using RegisterBits [[gnu::vector_size(register_bytes)]] = unsigned char;

BANKFULL_ALWAYS_INLINE SveFloats fused_multiply_add(SveFloats x, SveFloats y, SveFloats z) {
  return svmla_f32_x(svptrue_b32(), z, x, y);
}
BANKFULL_ALWAYS_INLINE SveDoubles fused_multiply_add(SveDoubles x, SveDoubles y, SveDoubles z) {
  return svmla_f64_x(svptrue_b64(), z, x, y);
}

BANKFULL_ALWAYS_INLINE void stream_register(void* to, RegisterBits x) {
  svstnt1_u8(svptrue_b8(), static_cast<uint8_t*>(to), x);
}
/// Non-temporal stores of AArch64 are ordered as others are: by the barrier that follows.
BANKFULL_ALWAYS_INLINE void fence_streams() {}

template <int Half>
BANKFULL_ALWAYS_INLINE SveDoubles widened(SveFloats x) {
  const svuint32_t bits = svreinterpret_u32_f32(x);
  const svuint64_t half = Half == 0 ? svunpklo_u64(bits) : svunpkhi_u64(bits);
  return svcvt_f64_f32_x(svptrue_b64(), svreinterpret_f32_u64(half));
}

}  // namespace detail
}  // namespace bankfull
