#pragma once

#include "bankfull/core/base/precision.hpp"
#include "bankfull/core/measure/traffic.hpp"

#include <string>

namespace bankfull {

/// The work of one repeat, as stated by the object that launches the kernels.
struct Work {
  /// Per repeat. Work without stated bytes has no bandwidth and no percentage.
  Traffic traffic = {};

  /// The traffic in words: "13 fields read, 1 written".
  std::string model = {};

  /// Bytes touched between two uses of the same data, which a cache would have to hold to save
  /// memory traffic. Stated by each rank for itself; in a measurement it is summed over the ranks
  /// of a device, and is that of the device with the smallest sum above 0.
  /// 0: not stated.
  double working_set_bytes = 0.0;

  /// The precision of most of the data; the ceiling is measured with it.
  Precision precision = Precision::fp64;

  /// Whether the bandwidth of the device's memory bounds the rate. Messages over a link and
  /// dependent loads are not bounded by it: they have a rate, but no ceiling and no percentage.
  bool is_bound_by_memory = true;
};

}  // namespace bankfull
