#pragma once

#include "bankfull/core/field/box.hpp"

#include <cstdint>

namespace bankfull::jacobi {

/// What to smooth and how; plain data that any front end can fill in.
struct Problem {
  Extents cells{256, 256, 256};
  double omega = 6.0 / 7.0;  ///< weight of the new value, above 0 and up to 1
  int sweeps = 10;           ///< per repeat
  int repeats = 5;
  int threads = 1;
};

}  // namespace bankfull::jacobi
