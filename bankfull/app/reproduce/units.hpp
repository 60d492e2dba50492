#pragma once

#include <string>

namespace bankfull::reproduce {

/// A number in base units: seconds, bytes, operations, and these per second.
struct InBaseUnits {
  double value = 0.0;
  std::string unit;  ///< "s", "B/s"; a unit that is unknown stands for itself
};

InBaseUnits in_base_units(double value, const std::string& unit);

}  // namespace bankfull::reproduce
