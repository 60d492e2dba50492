#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"

namespace bankfull::convection {

enum class ValidationLevel {
  quick,  ///< a minute or two on two cores
  full,   ///< every case at every resolution: for a GPU
};

/// Runs the cases whose answers are known and compares: one check a case, with its source.
RunResult validate(ValidationLevel level, Device device, int threads, Progress& progress);

}  // namespace bankfull::convection
