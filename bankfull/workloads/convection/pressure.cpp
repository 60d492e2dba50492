#include "bankfull/workloads/convection/pressure.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"

#include <string>

namespace bankfull::convection {
namespace {

poisson::Stopping stopping_of(const Problem& problem) { return {.tolerance = problem.divergence}; }

}  // namespace

PressureSolver chosen_solver(const Problem& problem, const Grid& grid) {
  if (problem.solver == PressureSolver::multigrid) {
    return PressureSolver::multigrid;
  }
  const std::string refusal = poisson::direct_unavailable(problem.device, grid.domain());
  if (refusal.empty()) {
    return PressureSolver::direct;
  }
  about("solver.pressure", [&] {
    require(problem.solver != PressureSolver::direct, "no direct pressure solver: " + refusal,
            "use the solver auto or multigrid");
  });
  return PressureSolver::multigrid;
}

template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cpu_pressure(const Plan& plan) {
  const int threads = plan.problem().threads;
  if constexpr (build::fftw) {
    if (plan.solver() == PressureSolver::direct) {
      return poisson::make_cpu_direct<Real>(plan.grid().domain(), threads);
    }
  }
  return poisson::make_cpu_multigrid<Real>(plan.grid().domain(), stopping_of(plan.problem()),
                                           threads);
}

std::int64_t pressure_bytes(const Plan& plan) {
  const Problem& problem = plan.problem();
  const poisson::Domain domain = plan.grid().domain();
  const auto element = static_cast<std::size_t>(bytes_of(problem.precision));
  const bool on_gpu = problem.device.is_cuda();
  if (plan.solver() == PressureSolver::direct) {
    return poisson::direct_bytes(domain, element, on_gpu, problem.threads);
  }
  return poisson::multigrid_bytes(domain, element, on_gpu);
}

template std::unique_ptr<poisson::Solver<float>> make_cpu_pressure(const Plan&);
template std::unique_ptr<poisson::Solver<double>> make_cpu_pressure(const Plan&);

}  // namespace bankfull::convection
