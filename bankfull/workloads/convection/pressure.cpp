#include "bankfull/workloads/convection/pressure.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"

#include <string>

namespace bankfull::convection {
namespace {

/// Empty where transforms serve the problem's grid on its device, else why not.
std::string direct_refused(const Problem& problem) {
  if (!poisson::direct_serves(Grid(problem.axes).domain())) {
    return "two axes must be uniform";
  }
  return poisson::direct_unavailable(problem.device);
}

poisson::Stopping stopping_of(const Problem& problem) { return {.tolerance = problem.divergence}; }

}  // namespace

PressureSolver chosen_solver(const Problem& problem) {
  if (problem.solver == PressureSolver::multigrid) {
    return PressureSolver::multigrid;
  }
  const std::string refusal = direct_refused(problem);
  if (refusal.empty()) {
    return PressureSolver::direct;
  }
  if (problem.solver == PressureSolver::direct) {
    throw UsageError("no direct pressure solver: " + refusal, "use the solver auto or multigrid");
  }
  return PressureSolver::multigrid;
}

template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cpu_pressure(const Problem& problem, const Grid& grid) {
  if constexpr (build::fftw) {
    if (chosen_solver(problem) == PressureSolver::direct) {
      return poisson::make_cpu_direct<Real>(grid.domain(), problem.threads);
    }
  }
  return poisson::make_cpu_multigrid<Real>(grid.domain(), stopping_of(problem), problem.threads);
}

std::int64_t pressure_bytes(const Problem& problem, const Grid& grid) {
  const auto element = static_cast<std::size_t>(bytes_of(problem.precision));
  const bool on_gpu = problem.device.is_cuda();
  if (chosen_solver(problem) == PressureSolver::direct) {
    return poisson::direct_bytes(grid.domain(), element, on_gpu, problem.threads);
  }
  return poisson::multigrid_bytes(grid.domain(), element, on_gpu);
}

template std::unique_ptr<poisson::Solver<float>> make_cpu_pressure(const Problem&, const Grid&);
template std::unique_ptr<poisson::Solver<double>> make_cpu_pressure(const Problem&, const Grid&);

}  // namespace bankfull::convection
