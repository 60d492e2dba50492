#pragma once

#include <cstdint>

namespace bankfull {

inline constexpr std::int64_t kib = 1024;        ///< bytes of a KiB, 2^10
inline constexpr std::int64_t mib = 1024 * kib;  ///< bytes of a MiB, 2^20
inline constexpr std::int64_t gib = 1024 * mib;  ///< bytes of a GiB, 2^30

}  // namespace bankfull
