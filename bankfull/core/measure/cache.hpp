#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <string>

namespace bankfull {

/// How a working set compares with the last-level cache of its device.
enum class CacheFit {
  beyond,  ///< at least four times the cache, or the cache is unknown: rates are memory rates
  partly,  ///< larger than the cache, but a useful part of it stays cached
  inside,  ///< fits in the cache
};

/// The one rule that decides this. A `cache_bytes` of 0 means that the cache is unknown.
CacheFit cache_fit(double working_set_bytes, std::int64_t cache_bytes);

/// Bytes of the smallest working set that is CacheFit::beyond.
constexpr double smallest_beyond(std::int64_t cache_bytes) {
  constexpr double negligible = 4.0;  // times the cache: at most a quarter of the data stays in it
  return negligible * static_cast<double>(cache_bytes);
}

/// "beyond", "partly", "inside".
std::string to_string(CacheFit fit);

/// Bytes of the device's last-level cache; 0 if unknown.
std::int64_t last_cache_bytes(Device device);

/// The working sets of a run's ranks, per device.
struct WorkingSet {
  std::int64_t bytes = 0;           ///< on the device with the smallest working set that is not 0
  CacheFit fit = CacheFit::beyond;  ///< of the device whose working set fits its cache best
};

/// Collective: `bytes_of_rank` is this rank's working set on `device`. Ranks on one device share
/// its cache, so their working sets are added. Devices without a working set are
/// ignored.
WorkingSet working_set(const Communicator& ranks, Device device, double bytes_of_rank);

}  // namespace bankfull
