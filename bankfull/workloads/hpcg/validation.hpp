#pragma once

#include "bankfull/workloads/hpcg/cg_backend.hpp"
#include "bankfull/workloads/hpcg/grid_rows.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"

namespace bankfull::hpcg {

/// Collective: conjugate gradients with an exaggerated diagonal, twice without and twice with the
/// preconditioner. Leaves the benchmark's own matrix.
SpectralTest spectral_test(CgBackend& backend);

/// Collective: how far from symmetric the backend's matrix and preconditioner are, on random
/// vectors that do not depend on the number of ranks.
SymmetryTest symmetry_test(CgBackend& backend, const RankSite& site);

/// Mean and variance of the scaled residuals of the timed sets, and how far they are from each
/// other and from what the convergence test found.
NormsTest norms_test(std::vector<double> residuals, const ConvergenceTest& convergence);

/// The result of conjugate gradients on this rank's rows, in their natural order.
struct Solved {
  std::vector<double> x;
  std::vector<double> r;  ///< the recurrence's
  int iterations = 0;
  double scaled_residual = 0.0;  ///< that the recurrence reports
};

/// Collective: x against the benchmark's own system, whose residual is to be at most
/// `required_residual`, scaled by b. `reference` multiplies, and is checked itself: b, and its
/// product with the solution 1, are closed forms.
SolutionTest solution_test(CgBackend& reference, const Solved& solved, double required_residual,
                           const RankSite& site);

}  // namespace bankfull::hpcg
