#include "bankfull/workloads/convection/pressure.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string>

namespace bankfull::convection {
namespace {

/// Before the run, not in it. The reference schedule has conjugate gradients.
void require_convergence(const Problem& problem, const Grid& grid, const std::string& no_direct) {
  const auto stretched = static_cast<std::size_t>(grid.physical(0));  // the most
  about("domain.stretching", [&] {
    require(
        problem.schedule == Schedule::reference || poisson::multigrid_serves(grid.domain()),
        fmt::format("multigrid does not converge where {} is stretched by {} beside another axis",
                    axis_names[stretched], problem.axes[stretched].stretching),
        no_direct.empty()
            ? "use solver.pressure = \"direct\", or stretch one axis only"
            : "stretch one axis only, for there is no direct pressure solver: " + no_direct);
  });
}

}  // namespace

PressureSolver chosen_solver(const Problem& problem, const Grid& grid) {
  const std::string refusal = poisson::direct_unavailable(problem.device, grid.domain());
  if (problem.solver != PressureSolver::multigrid && refusal.empty()) {
    return PressureSolver::direct;
  }
  about("solver.pressure", [&] {
    require(problem.solver != PressureSolver::direct, "no direct pressure solver: " + refusal,
            "use the solver auto or multigrid");
  });
  require_convergence(problem, grid, refusal);
  return PressureSolver::multigrid;
}

template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cpu_pressure(const Plan& plan, const double* pace) {
  const int threads = plan.problem().threads;
  if constexpr (build::fftw) {
    if (plan.solver() == PressureSolver::direct) {
      return poisson::make_cpu_direct<Real>(plan.grid().domain(), threads);
    }
  }
  return poisson::make_cpu_multigrid<Real>(
      plan.grid().domain(), {.tolerance = plan.problem().divergence, .factor = pace}, threads);
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

template std::unique_ptr<poisson::Solver<float>> make_cpu_pressure(const Plan&, const double*);
template std::unique_ptr<poisson::Solver<double>> make_cpu_pressure(const Plan&, const double*);

}  // namespace bankfull::convection
