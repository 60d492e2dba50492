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

/// The setting that multigrid does not converge with, and what it is.
struct Obstacle {
  std::string setting;
  std::string what;
  std::string remedy;
};

Obstacle obstacle_of(const Problem& problem, const Grid& grid, const poisson::MultigridFit& fit) {
  const auto narrow = static_cast<std::size_t>(grid.physical(fit.narrow));
  const auto other = static_cast<std::size_t>(grid.physical(fit.other));
  if (fit.limit == poisson::MultigridLimit::shapes) {
    return {"domain.stretching",
            fmt::format("multigrid does not converge where {} is stretched by {} beside {} by {}: "
                        "widths of cells across {} differ {:.3g} times, served are {:g}",
                        axis_names[other], problem.axes[other].stretching, axis_names[narrow],
                        problem.axes[narrow].stretching, axis_names[other], fit.value, fit.largest),
            "stretch one axis only"};
  }
  return {"domain.cells",
          fmt::format("multigrid does not converge where cells along {} are so thin beside the "
                      "length along {}: (length / (pi width))^2 is {:.2g}, served are {:.2g}",
                      axis_names[narrow], axis_names[other], fit.value, fit.largest),
          "make the box less flat, or use wider cells"};
}

/// Before the run, not in it. The reference schedule has conjugate gradients.
void require_convergence(const Problem& problem, const Grid& grid, const std::string& no_direct) {
  const poisson::MultigridFit fit = poisson::multigrid_fit(grid.domain());
  if (problem.schedule == Schedule::reference || fit.limit == poisson::MultigridLimit::none) {
    return;
  }
  const Obstacle obstacle = obstacle_of(problem, grid, fit);
  about(obstacle.setting, [&] {
    require(false, obstacle.what,
            no_direct.empty()
                ? "use solver.pressure = \"direct\", or " + obstacle.remedy
                : obstacle.remedy + "; a direct pressure solver is not available: " + no_direct);
  });
}

/// Why ranks cannot share the grid in slabs, as the direct solver does; empty if they can.
std::string slabs_unavailable(const Problem& problem, const Grid& grid,
                              const poisson::Sharing& sharing) {
  if (!sharing.is_shared()) {
    return "";
  }
  const std::string axis(axis_names[static_cast<std::size_t>(grid.physical(0))]);
  const int ranks = sharing.ranks->size();
  if (problem.implicit_anywhere()) {
    return fmt::format("on {} ranks it cuts the axis {}, along which implicit diffusion is solved",
                       ranks, axis);
  }
  if (grid.extents().ni < ranks) {
    return fmt::format("it gives each rank planes across {}, and has {} planes for {} ranks", axis,
                       grid.extents().ni, ranks);
  }
  if (sharing.grid.count() > 1 && sharing.grid.i != ranks) {
    return fmt::format("it cuts the grid along {} only, not as {}", axis, to_string(sharing.grid));
  }
  return "";
}

}  // namespace

std::string direct_refusal(const Problem& problem, const Grid& grid,
                           const poisson::Sharing& sharing) {
  const std::string unavailable = poisson::direct_unavailable(problem.device, grid.domain());
  return unavailable.empty() ? slabs_unavailable(problem, grid, sharing) : unavailable;
}

PressureSolver chosen_solver(const Problem& problem, const Grid& grid,
                             const poisson::Sharing& sharing) {
  const std::string refusal = direct_refusal(problem, grid, sharing);
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
std::unique_ptr<poisson::Solver<Real>> make_cpu_pressure(const Plan& plan, const double* weight) {
  const int threads = plan.problem().threads;
  if (plan.solver() == PressureSolver::direct) {
    return plan.is_shared()
               ? poisson::make_cpu_direct<Real>(plan.grid().domain(), threads, *plan.ranks())
               : poisson::make_cpu_direct<Real>(plan.grid().domain(), threads);
  }
  return poisson::make_cpu_multigrid<Real>(
      plan.grid().domain(), {.tolerance = plan.problem().divergence, .factor = weight}, threads,
      plan.sharing());
}

std::int64_t pressure_bytes(const Plan& plan) {
  const Problem& problem = plan.problem();
  const poisson::Domain domain = plan.grid().domain();
  const auto element = static_cast<std::size_t>(bytes_of(problem.precision));
  const bool on_gpu = problem.device.is_cuda();
  if (plan.solver() == PressureSolver::direct) {
    return poisson::direct_slab_bytes(domain, element, on_gpu, problem.threads, plan.cut().ranks());
  }
  return poisson::multigrid_bytes(domain, element, on_gpu, plan.sharing());
}

template std::unique_ptr<poisson::Solver<float>> make_cpu_pressure(const Plan&, const double*);
template std::unique_ptr<poisson::Solver<double>> make_cpu_pressure(const Plan&, const double*);

}  // namespace bankfull::convection
