#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace bankfull {

// Streaming (non-temporal) stores write whole cache lines and bypass the caches, so the line is not
// read first. Compilers have no portable way to request them, hence the intrinsics in this one
// place.

#if defined(__AVX512F__)
inline constexpr std::size_t stream_store_bytes = 64;
inline void stream_store(void* destination, const void* source) {
  _mm512_stream_si512(static_cast<__m512i*>(destination), _mm512_loadu_si512(source));
}
#elif defined(__AVX__)
inline constexpr std::size_t stream_store_bytes = 32;
inline void stream_store(void* destination, const void* source) {
  _mm256_stream_si256(static_cast<__m256i*>(destination),
                      _mm256_loadu_si256(static_cast<const __m256i*>(source)));
}
#elif defined(__SSE2__)
inline constexpr std::size_t stream_store_bytes = 16;
inline void stream_store(void* destination, const void* source) {
  _mm_stream_si128(static_cast<__m128i*>(destination),
                   _mm_loadu_si128(static_cast<const __m128i*>(source)));
}
#else
inline constexpr std::size_t stream_store_bytes = 16;
inline void stream_store(void* destination, const void* source) {
  std::memcpy(destination, source, stream_store_bytes);
}
#endif

/// Makes earlier streaming stores of this thread visible to the others.
inline void stream_store_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace bankfull
