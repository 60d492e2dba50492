#pragma once

#include <type_traits>

// Vectors are the compiler's own (gnu::vector_size), on which operators work lane by lane. How
// large and how many they are, and what they lack, is in one header for each set of instructions:
// `fused_multiply_add` (compilers contract a vector expression only where they may contract every
// expression, which would let schedules differ in their bits), `stream_register` (a store that
// bypasses the caches; see stream_store.hpp) with `fence_streams`, and `widened`, the lower (0) or
// upper (1) half of floats as doubles.
#if defined(__AVX512F__)
#include "bankfull/core/base/registers/avx512.hpp"
#elif defined(__AVX__) && defined(__FMA__)
#include "bankfull/core/base/registers/avx2.hpp"
#elif defined(__ARM_FEATURE_SVE_BITS) && \
    (__ARM_FEATURE_SVE_BITS == 256 || __ARM_FEATURE_SVE_BITS == 512)
// Types can hold SVE's registers only where the compiler is told their size.
#include "bankfull/core/base/registers/sve.hpp"
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include "bankfull/core/base/registers/neon.hpp"
#else
#include "bankfull/core/base/registers/portable.hpp"
#endif

namespace bankfull::detail {

/// A SIMD register of T; `Unaligned` is the same in memory at any element.
template <class T>
struct Register {
  static constexpr int width = register_bytes / static_cast<int>(sizeof(T));
  using Native [[gnu::vector_size(register_bytes)]] = T;
  using Unaligned [[gnu::vector_size(register_bytes), gnu::aligned(alignof(T)), gnu::may_alias]] =
      T;
};

}  // namespace bankfull::detail
