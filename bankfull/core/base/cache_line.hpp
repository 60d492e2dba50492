#pragma once

#include <cstdint>

namespace bankfull {

/// That of x86-64 and of most AArch64 processors; assumed on every machine.
inline constexpr int cache_line_bytes = 64;

/// Whether a cache line begins there, so that Pack::stream may store to it.
inline bool is_line_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % cache_line_bytes == 0;
}

}  // namespace bankfull
