#pragma once

#include "bankfull/core/base/vector_register.hpp"

#include <cstddef>
#include <cstring>

namespace bankfull {

// Streaming (non-temporal) stores write whole cache lines and bypass the caches, so the line is not
// read first. Compilers have no portable way to request them.

/// What one `stream_store` writes: a SIMD register, which is a cache line or a part of one.
inline constexpr std::size_t stream_store_bytes = register_bytes;

/// Copies `stream_store_bytes`; `destination` is aligned to them.
inline void stream_store(void* destination, const void* source) {
  detail::RegisterBits bits;
  std::memcpy(&bits, source, sizeof bits);
  detail::stream_register(destination, bits);
}

/// Makes earlier streaming stores of this thread visible to the others.
inline void stream_store_fence() { detail::fence_streams(); }

}  // namespace bankfull
