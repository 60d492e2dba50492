#pragma once

#include <cstdint>

namespace bankfull::convection {

/// What the processes of a run have taken on the clock: each up to where the next one continued.
struct TimeTaken {
  double seconds = 0.0;
  std::int64_t processes = 0;
};

}  // namespace bankfull::convection
