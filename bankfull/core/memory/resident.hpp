#pragma once

#include <cstdint>

namespace bankfull {

/// Bytes that are resident of a `Memory` of so many on the host once all of it has been touched:
/// large ones come in whole huge pages.
std::int64_t resident_bytes(std::int64_t bytes);

}  // namespace bankfull
