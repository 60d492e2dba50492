#pragma once

#include "bankfull/core/machine/device.hpp"

#include <string>
#include <vector>

namespace bankfull::accept {

/// A short run whose rates tell whether a device is as fast as others of its model.
struct Gauge {
  std::string name;                    ///< of its files
  std::vector<std::string> arguments;  ///< of this program
};

/// The runs that accept a device: its memory, a stencil, sparse products and arithmetic. Half a
/// minute in all.
std::vector<Gauge> gauges_of(Device device, int threads);

/// The same work on all ranks together, and the links between them.
std::vector<Gauge> joint_gauges(Device device, int threads);

}  // namespace bankfull::accept
