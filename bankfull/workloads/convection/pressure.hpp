#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::convection {

/// Solvers of lap q = div u*, with q the pressure times the step: what is left of the equation is
/// the divergence after the projection.
template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cpu_pressure(const Problem& problem, const Grid& grid);

/// In builds with CUDA only.
template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cuda_pressure(const Problem& problem, const Grid& grid,
                                                          const Stream& stream);

/// Bytes that the chosen solver takes on the problem's device.
std::int64_t pressure_bytes(const Problem& problem, const Grid& grid);

}  // namespace bankfull::convection
