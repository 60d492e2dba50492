#pragma once

#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/validation.hpp"

#include <memory>

namespace bankfull::hpcg {

/// Solves with a path and takes what it found.
inline Solved solve(Path& path, int iterations) {
  const CgResult result = conjugate_gradients(path, {.iterations = iterations});
  return {.x = path.solution(),
          .r = path.recurrence_residual(),
          .iterations = result.iterations,
          .scaled_residual = result.scaled()};
}

}  // namespace bankfull::hpcg
