#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace bankfull::convection {

/// The solver that a problem's `solver` means on its device and ranks, which may already be asked
/// to cut the grid in some way. Throws UsageError where the requested one is not available, or
/// would not converge.
PressureSolver chosen_solver(const Problem& problem, const Grid& grid,
                             const poisson::Sharing& sharing = {});

/// Why there is no direct solver of a problem for its device and ranks; "" if there is one.
std::string direct_refusal(const Problem& problem, const Grid& grid,
                           const poisson::Sharing& sharing = {});

/// Solvers of lap q = div u*, with q the pressure times the step: what is left of the equation is
/// the divergence after the projection. `weight`: of a divergence in the step that is taken (see
/// StepState), on the solver's device; multigrid leaves at most Problem::divergence over it.
template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cpu_pressure(const Plan& plan, const double* weight);

/// In builds with CUDA only.
template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cuda_pressure(const Plan& plan, const Stream& stream,
                                                          const double* weight);

/// Bytes that the plan's solver takes on the problem's device.
std::int64_t pressure_bytes(const Plan& plan);

}  // namespace bankfull::convection
