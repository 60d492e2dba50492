#pragma once

#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/validation.hpp"

#include <memory>

namespace bankfull::hpcg {

/// Solves with a backend and returns the result.
inline Solved solve(CgBackend& backend, int iterations) {
  const CgResult result = conjugate_gradients(backend, {.iterations = iterations});
  return {.x = backend.solution(),
          .r = backend.recurrence_residual(),
          .iterations = result.iterations,
          .scaled_residual = result.scaled()};
}

}  // namespace bankfull::hpcg
