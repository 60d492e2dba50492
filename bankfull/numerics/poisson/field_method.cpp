#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/field_solver.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"

#include <fmt/format.h>

namespace bankfull::poisson {
namespace {

/// Why the direct solver does not serve `ranks` ranks, however they share the domain.
std::string no_slabs(const Domain& domain, Device device, int ranks) {
  if (std::string reason = direct_unavailable(device, domain); !reason.empty()) {
    return reason;
  }
  return domain.i.cells() < ranks
             ? fmt::format("it gives each rank planes across i, and there are {} for {} ranks",
                           domain.i.cells(), ranks)
             : "";
}

std::string direct_obstacle(const Domain& domain, const DecomposedGrid& grid, Device device) {
  const int ranks = grid.ranks().size();
  if (std::string reason = no_slabs(domain, device, ranks); !reason.empty()) {
    return reason;
  }
  return grid.decomposition().grid().i == ranks
             ? ""
             : fmt::format("it cuts the grid along i only, not as {}",
                           to_string(grid.decomposition().grid()));
}

std::string multigrid_obstacle(const Domain& domain, const DecomposedGrid& grid, Device device) {
  const MultigridFit fit = multigrid_fit(domain);
  constexpr const char* names = "ijk";
  if (fit.limit == MultigridLimit::shapes) {
    return fmt::format(
        "it does not converge where widths differ {:.3g} times along {} and the other axes, but "
        "for one, together: {:.3g} is the most",
        fit.value, names[fit.narrow], fit.largest);
  }
  if (fit.limit == MultigridLimit::range) {
    return fmt::format("cells along {} are too thin beside the length of axis {} for fp32",
                       names[fit.narrow], names[fit.other]);
  }
  const RankGrid& cut = grid.decomposition().grid();
  const int uncut = uncut_axis(domain);
  if (cut.k > 1 || (uncut == 0 && cut.i > 1) || (uncut == 1 && cut.j > 1)) {
    return fmt::format("it cannot cut axis {}, as {} ranks do", cut.k > 1 ? 'k' : names[uncut],
                       to_string(cut));
  }
  const Sharing sharing = detail::sharing_of(grid);
  return device.is_cuda() && sharing.is_shared() ? gpu_sharing_obstacle(domain, sharing) : "";
}

/// As obstacles go on: "it cuts the grid along i only".
std::string subject_of(Method method) {
  switch (method) {
    case Method::direct:
      return "the direct solver does not serve";
    case Method::multigrid:
      return "multigrid does not serve";
    case Method::automatic:
      break;
  }
  return "no method serves";
}

}  // namespace

std::string obstacle(Method method, const Domain& domain, const DecomposedGrid& grid,
                     Device device) {
  require_cells(domain);
  if (!(grid.decomposition().cells() == domain.extents())) {
    return "the grid has other numbers of cells than the domain";
  }
  if (method == Method::direct) {
    return direct_obstacle(domain, grid, device);
  }
  std::string of_multigrid = multigrid_obstacle(domain, grid, device);
  if (method == Method::multigrid || of_multigrid.empty()) {
    return of_multigrid;
  }
  const std::string of_direct = direct_obstacle(domain, grid, device);
  return of_direct.empty()
             ? ""
             : fmt::format("not directly: {}; not by multigrid: {}", of_direct, of_multigrid);
}

DecomposedGrid make_grid(const Communicator& ranks, const Domain& domain, Device device,
                         Method method, const HaloShape& halo) {
  require_cells(domain);
  GridOptions options{.periodic = {domain.i.periodic, domain.j.periodic, domain.k.periodic},
                      .halo = halo};
  const bool is_thick = domain.i.cells() >= halo.width * std::int64_t{ranks.size()};
  if (method == Method::direct ||
      (method == Method::automatic && is_thick && no_slabs(domain, device, ranks.size()).empty())) {
    options.rank_grid = {ranks.size(), 1, 1};
  } else {
    const int uncut = uncut_axis(domain);
    options.max_grid.k = 1;
    options.max_grid.i = uncut == 0 ? 1 : options.max_grid.i;
    options.max_grid.j = uncut == 1 ? 1 : options.max_grid.j;
  }
  return {ranks, domain.extents(), options};
}

namespace detail {

Method chosen_method(Method method, const Domain& domain, const DecomposedGrid& grid,
                     Device device) {
  grid.ranks().agree([&] {
    const std::string reason = obstacle(method, domain, grid, device);
    require(reason.empty(), subject_of(method) + " this Poisson equation: " + reason,
            "see poisson::make_grid and poisson::Method");
  });
  if (method != Method::automatic) {
    return method;
  }
  const bool is_direct = grid.ranks().all(obstacle(Method::direct, domain, grid, device).empty());
  return is_direct ? Method::direct : Method::multigrid;
}

Sharing sharing_of(const DecomposedGrid& grid) {
  return {.ranks = &grid.ranks(), .grid = grid.decomposition().grid()};
}

}  // namespace detail

}  // namespace bankfull::poisson
