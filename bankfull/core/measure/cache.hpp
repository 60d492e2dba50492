#pragma once

#include "bankfull/core/comm/communicator.hpp"
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

/// Bytes of the smallest working set that is beyond such a cache.
constexpr double smallest_beyond(std::int64_t cache_bytes) {
  constexpr double negligible = 4.0;  // caches: no more than a quarter of the data is found in one
  return negligible * static_cast<double>(cache_bytes);
}

/// "beyond", "partly", "inside".
std::string to_string(CacheFit fit);

/// Bytes of the device's last cache; 0 where unknown.
std::int64_t last_cache_bytes(Device device);

/// What the ranks of a run work on, by device.
struct WorkingSet {
  std::int64_t bytes = 0;           ///< on the device with the least of those that have any
  CacheFit fit = CacheFit::beyond;  ///< of the device nearest to holding its part in its cache
};

/// Collective: `bytes_of_rank` is what this rank, on `device`, works on. The ranks of one device
/// have one cache together, so what they work on adds up. Devices with nothing to work on say
/// nothing.
WorkingSet working_set(const Communicator& ranks, Device device, double bytes_of_rank);

}  // namespace bankfull
