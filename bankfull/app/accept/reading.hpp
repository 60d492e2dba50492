#pragma once

#include "bankfull/app/recorded/recorded_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bankfull::accept {

/// What a device did once: the rate of one measurement of a run.
struct Reading {
  std::string gauge;   ///< "himeno L fp32 tuned", "probe copy, fp64"
  double rate = 0.0;   ///< in `unit`; the larger the better
  std::string unit;    ///< "GB/s", "GFLOPS", "Gop/s"
  bool noisy = false;  ///< by the measurement's own quietness
};

/// A device by what baselines are for and by what tells it from others of its model.
struct DeviceName {
  std::string model;  ///< "NVIDIA H200"; of processors with the threads that worked
  std::string host;
  std::string device;  ///< "cuda:0", "cpu"
  std::string board;   ///< the UUID of a GPU, or the host of a processor

  [[nodiscard]] std::string text() const { return host + " " + device; }
};

/// The readings of a run on one device; none of one that failed, ended early, or has several ranks.
std::vector<Reading> readings_of(const recorded::RecordedRun& run);

/// The device that a run of one rank was on.
DeviceName device_of(const recorded::RecordedRun& run);

}  // namespace bankfull::accept
