#pragma once

#include <cstdint>

namespace bankfull {

inline constexpr std::int64_t kib = 1024;
inline constexpr std::int64_t mib = 1024 * kib;
inline constexpr std::int64_t gib = 1024 * mib;

}  // namespace bankfull
