#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"
#include "bankfull/workloads/hpcg/path.hpp"

namespace bankfull::hpcg {

/// Collective: conjugate gradients with an exaggerated diagonal, twice without and twice with the
/// preconditioner. Leaves the benchmark's own matrix.
SpectralTest spectral_test(Path& path);

/// Collective: how far from symmetric the path's matrix and preconditioner are, on random vectors
/// that do not depend on the number of ranks.
SymmetryTest symmetry_test(Path& path, const Level& finest, const Communicator& ranks);

/// Mean and variance of the scaled residuals of the timed sets.
NormsTest norms_test(std::vector<double> residuals);

}  // namespace bankfull::hpcg
