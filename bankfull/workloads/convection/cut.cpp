#include "bankfull/workloads/convection/cut.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull::convection {
namespace {

void require_shareable(const Problem& problem, int ranks) {
  about("solver.schedule", [&] {
    require(problem.schedule != Schedule::reference,
            fmt::format("the reference schedule runs on one rank, not on {}", ranks),
            "use the tuned one, or start it without mpirun");
  });
}

/// Rows along axis 2 are never cut, nor lines of multigrid and of implicit diffusion, which goes
/// through the planes in any case.
DecompositionRules rules_of(const Problem& problem, const Grid& grid) {
  const poisson::Domain domain = grid.domain();
  DecompositionRules rules{.periodic = {domain.i.periodic, domain.j.periodic, domain.k.periodic}};
  const int uncut = poisson::uncut_axis(domain);
  const auto implicit = problem.implicit_along();
  const bool implicit_1 = implicit[static_cast<std::size_t>(grid.physical(1))];
  rules.max_grid.i = uncut == 0 || problem.implicit_anywhere() ? 1 : rules.max_grid.i;
  rules.max_grid.j = uncut == 1 || implicit_1 ? 1 : rules.max_grid.j;
  rules.max_grid.k = 1;
  return rules;
}

/// Why GPUs cannot share the grid by any of these; empty if they can. Leaves those by which they
/// can.
std::string keep_those_of_gpus(std::vector<RankGrid>& grids, const poisson::Domain& domain,
                               const poisson::Sharing& sharing) {
  std::string obstacle;
  std::erase_if(grids, [&](const RankGrid& grid) {
    const std::string found =
        poisson::gpu_sharing_obstacle(domain, {.grid = grid, .min_cells = sharing.min_cells});
    obstacle = found.empty() ? obstacle : found;
    return !found.empty();
  });
  return grids.empty() ? obstacle : "";
}

/// The most ranks below `ranks` that suit, or 1.
template <class Suits>
int fewer_ranks(int ranks, const Suits& suits) {
  int works = ranks - 1;
  while (works > 1 && !suits(works)) {
    --works;
  }
  return std::max(works, 1);
}

/// suits(ranks): whether so many can share the grid.
template <class Suits>
[[noreturn]] void refuse(const Grid& grid, int ranks, const DecompositionRules& rules,
                         const Suits& suits) {
  const Extents n = grid.extents();
  const auto name = [&](int axis) {
    return std::string(axis_names[static_cast<std::size_t>(grid.physical(axis))]);
  };
  const auto whole = [&](int axis, int most) {
    return most == 1 ? "lines along " + name(axis) + " stay whole, too; " : "";
  };
  const int works = fewer_ranks(ranks, suits);
  throw UsageError(
      fmt::format("{} ranks cannot share this grid: its rows along {} stay whole; {}{}there are {} "
                  "cells along {} and {} along {}",
                  ranks, name(2), whole(0, rules.max_grid.i), whole(1, rules.max_grid.j), n.ni,
                  name(0), n.nj, name(1)),
      works > 1 ? fmt::format("use {} ranks", works) : "start it without mpirun");
}

template <class Suits>
void require_multigrid_on_gpus(std::vector<RankGrid>& grids, const poisson::Domain& domain,
                               const poisson::Sharing& sharing, const Suits& suits) {
  const std::string obstacle = keep_those_of_gpus(grids, domain, sharing);
  if (obstacle.empty()) {
    return;
  }
  const int ranks = sharing.ranks->size();
  const int works = fewer_ranks(ranks, suits);
  about("solver.pressure", [&] {
    require(false, fmt::format("multigrid does not run on {} GPUs here: {}", ranks, obstacle),
            fmt::format("use {}, the direct solver where there is one, or --device cpu",
                        works > 1 ? fmt::format("{} ranks", works) : "one rank"));
  });
}

void require_allowed(const RankGrid& wanted, const std::vector<RankGrid>& grids, int ranks) {
  std::vector<std::string> names;
  std::ranges::transform(grids, std::back_inserter(names),
                         [](const RankGrid& grid) { return to_string(grid); });
  require(std::ranges::find(grids, wanted) != grids.end(),
          fmt::format("{} ranks along the storage axes do not suit {} ranks and this grid",
                      to_string(wanted), ranks),
          names.empty() ? "use fewer ranks" : fmt::format("use {}", fmt::join(names, ", ")));
}

/// Two H100s take as long for a step as one does where the direct solver has 128 x 128 x 64 cells:
/// what travels and is waited for takes them 55 us more, half of the cells 95 us less. With a
/// quarter as many cells two take 1.8 times as long. Multigrid waits more often: 1.15 times as long
/// on these cells, 0.97 on 192 x 192 x 96.
constexpr std::int64_t cells_worth_gpus(PressureSolver solver) {
  return std::int64_t{solver == PressureSolver::multigrid ? 3 : 1} << 20;
}

}  // namespace

void require_worth_sharing(const Problem& problem, PressureSolver solver, int ranks) {
  const std::int64_t enough = cells_worth_gpus(solver);
  about("domain.cells", [&] {
    require(ranks == 1 || !problem.device.is_cuda() || problem.cells() >= enough,
            fmt::format("{} GPUs take longer for a step of {} cells with the {} solver than one "
                        "does",
                        ranks, problem.cells(), to_string(solver)),
            fmt::format("start it without mpirun, or use {} cells or more", enough));
  });
}

poisson::Sharing sharing_of(const Problem& problem, const Grid& grid, PressureSolver solver,
                            const poisson::Sharing& wanted) {
  poisson::Sharing sharing = wanted;
  if (!sharing.is_shared()) {
    sharing.grid = {};
    return sharing;
  }
  const int ranks = sharing.ranks->size();
  require_shareable(problem, ranks);
  if (solver == PressureSolver::direct) {
    sharing.grid = {ranks, 1, 1};
    return sharing;
  }
  const poisson::Domain domain = grid.domain();
  const DecompositionRules rules = rules_of(problem, grid);
  const bool on_gpus = problem.device.is_cuda();
  const auto suits = [&](int fewer) {
    std::vector<RankGrid> some = allowed_grids(domain.extents(), fewer, rules);
    if (on_gpus) {
      static_cast<void>(keep_those_of_gpus(some, domain, sharing));
    }
    return !some.empty();
  };
  std::vector<RankGrid> grids = allowed_grids(domain.extents(), ranks, rules);
  if (grids.empty()) {
    refuse(grid, ranks, rules, suits);
  }
  if (on_gpus) {
    require_multigrid_on_gpus(grids, domain, sharing, suits);
  }
  if (wanted.grid.count() > 1) {
    require_allowed(wanted.grid, grids, ranks);
    return sharing;
  }
  // GPUs exchange planes beside the work on others, but not rows.
  const auto cost_of = [&](const RankGrid& candidate) {
    poisson::Sharing cut = sharing;
    cut.grid = candidate;
    const Decomposition decomposition(domain.extents(), candidate, rules.periodic);
    return std::tuple(on_gpus ? candidate.j : 1, poisson::shared_levels(domain, cut, on_gpus) == 0,
                      face_cells(decomposition), decomposition.largest_block().count(),
                      -candidate.i);
  };
  sharing.grid = *std::min_element(
      grids.begin(), grids.end(),
      [&](const RankGrid& a, const RankGrid& b) { return cost_of(a) < cost_of(b); });
  return sharing;
}

}  // namespace bankfull::convection
