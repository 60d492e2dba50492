#include "bankfull/workloads/hpcg/cg.hpp"

#include <cmath>

namespace bankfull::hpcg {
CgResult conjugate_gradients(CgBackend& backend, const CgLimits& limits, History history,
                             const std::function<void(int)>& after_iteration) {
  CgResult result;
  backend.start();
  result.initial_residual = std::sqrt(backend.squared_residual());
  result.residual = result.initial_residual;
  // Reading the residual synchronises with the device, so it is read only if it is needed.
  const bool watched = limits.tolerance != 0.0 || history == History::kept;
  // NaN does not count as converged: all iterations are done, and the check fails.
  const auto arrived = [&] {
    return watched && result.iterations >= limits.at_least &&
           result.scaled() <= limits.tolerance * (1.0 + residual_slack);
  };
  while (result.iterations < limits.iterations && !arrived()) {
    backend.precondition(limits.preconditioned);
    backend.update_direction(result.iterations == 0);
    backend.multiply();
    backend.update_solution();
    ++result.iterations;
    if (watched) {
      result.residual = std::sqrt(backend.squared_residual());
    }
    if (history == History::kept) {
      result.history.push_back(result.scaled());
    }
    if (after_iteration) {
      after_iteration(result.iterations);
    }
  }
  backend.finish();
  result.residual = std::sqrt(backend.squared_residual());
  return result;
}

}  // namespace bankfull::hpcg
