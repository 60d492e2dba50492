#pragma once

#include "bankfull/core/base/precision.hpp"
#include "bankfull/core/measure/traffic.hpp"

#include <string>

namespace bankfull {

/// What one repeat of a piece of work does, as the object that launches the kernels states it.
struct Work {
  /// Per repeat. Work that states no bytes has no bandwidth and no percentage.
  Traffic traffic = {};

  /// The traffic in words: "13 fields read, 1 written".
  std::string model = {};

  /// All bytes that are read and written before the same data are used again: what a cache would
  /// have to hold to keep them from memory. Of one rank while it is stated by a rank; in a
  /// measurement, of all ranks on one device: of the device with the least, but for those that have
  /// nothing. 0: not stated.
  double working_set_bytes = 0.0;

  /// The precision of most bytes: the ceiling is measured with it.
  Precision precision = Precision::fp64;

  /// Whether the bandwidth of the device's memory bounds the rate. It does not bound messages over
  /// a link or loads that wait for each other: these have a rate, but no ceiling and no percentage.
  bool is_bound_by_memory = true;
};

}  // namespace bankfull
