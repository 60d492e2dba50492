#pragma once

#include "bankfull/core/exec/stream.hpp"

#include <cstdint>

namespace bankfull {

/// Turns values in GPU memory, in place, into `first` more than the sum of the values before each.
/// Waits for it. Exists in builds with CUDA only.
void exclusive_sums(std::uint32_t* values, std::int64_t count, std::uint32_t first,
                    const Stream& stream);

}  // namespace bankfull
