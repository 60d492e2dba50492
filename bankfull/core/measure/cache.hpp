#pragma once

#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <string>

namespace bankfull {

/// How a working set compares with the last cache of the device that it lies on.
enum class CacheFit {
  beyond,  ///< four times the cache or more, or the cache is unknown: rates are those of memory
  partly,  ///< larger than the cache, but a useful part of it stays there
  inside,  ///< the cache can hold all of it
};

/// The one rule for it. A `cache_bytes` of 0 means that the cache is unknown.
CacheFit cache_fit(double working_set_bytes, std::int64_t cache_bytes);

/// "beyond", "partly", "inside".
std::string to_string(CacheFit fit);

/// Bytes of the device's last cache; 0 where unknown.
std::int64_t last_cache_bytes(Device device);

}  // namespace bankfull
