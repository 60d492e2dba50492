#pragma once

#include "bankfull/workloads/hpcg/cg_backend.hpp"

#include <functional>
#include <vector>

namespace bankfull::hpcg {

struct CgLimits {
  int iterations = reference_iterations;
  double tolerance = 0.0;  ///< of the scaled residual; 0 runs all iterations
  int at_least = 0;        ///< iterations, also where the tolerance is met before
  bool preconditioned = true;
};

struct CgResult {
  int iterations = 0;
  double initial_residual = 0.0;  ///< 2-norm
  double residual = 0.0;
  std::vector<double> history;  ///< scaled residuals after each iteration, if requested

  [[nodiscard]] double scaled() const { return residual / initial_residual; }
};

enum class History { left_out, kept };

/// Collective: conjugate gradients from x = 0, by the benchmark's rules: it stops once the scaled
/// residual is within a factor of 1 + residual_slack of the tolerance. `after_iteration`, if given,
/// receives the number of each iteration that has been queued.
CgResult conjugate_gradients(CgBackend& backend, const CgLimits& limits,
                             History history = History::left_out,
                             const std::function<void(int)>& after_iteration = {});

}  // namespace bankfull::hpcg
