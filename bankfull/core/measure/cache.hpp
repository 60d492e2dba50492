#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/ceiling.hpp"

#include <cstdint>

namespace bankfull {

/// Whether the last cache of a device (0 bytes: unknown) keeps so much of a working set that rates
/// say little about memory: more than a quarter of it. `bytes` is all that the ranks on the device
/// read and write before they come to the same data again.
inline bool fits_last_cache(double bytes, std::int64_t cache_bytes) {
  return bytes < 4.0 * static_cast<double>(cache_bytes);
}

/// Collective: whether a working set that all ranks share evenly fits a last cache anywhere.
inline bool fits_last_cache(double bytes_of_all, Device device, const Communicator& ranks) {
  const double on_device = bytes_of_all * sharers_of_device(ranks, device) / ranks.size();
  return !ranks.all(!fits_last_cache(on_device, last_cache_bytes(device)));
}

}  // namespace bankfull
