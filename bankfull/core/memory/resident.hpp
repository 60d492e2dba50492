#pragma once

#include <cstdint>

namespace bankfull {

/// Resident bytes of a host `Memory` of so many bytes once all of it has been touched: large ones
/// consist of whole huge pages.
std::int64_t resident_bytes(std::int64_t bytes);

}  // namespace bankfull
