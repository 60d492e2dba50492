#include "bankfull/workloads/himeno/domain.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/cuda/fused_plan.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::himeno {
namespace {

/// Fused sweeps on a CPU work on whole rows.
bool needs_whole_rows(const Problem& problem) {
  return fuses(problem) && !problem.device.is_cuda();
}

/// The thinnest block across the cuts of a decomposition.
std::int64_t thinnest_cut(const Decomposition& decomposition) {
  const Extents n = decomposition.smallest_block();
  const RankGrid& cuts = decomposition.grid();
  std::int64_t thinnest = n.count();
  thinnest = cuts.i > 1 ? std::min(thinnest, n.ni) : thinnest;
  thinnest = cuts.j > 1 ? std::min(thinnest, n.nj) : thinnest;
  return cuts.k > 1 ? std::min(thinnest, n.nk) : thinnest;
}

/// A rank's points with so many layers more where another rank has the neighbours, and where the
/// grid ends.
Box widened(const Domain& domain, std::int64_t layers, std::int64_t boundary) {
  const auto beyond = [&](int di, int dj, int dk) {
    return domain.decomposition.neighbour(domain.rank, {di, dj, dk}) ? layers : boundary;
  };
  const Extents n = domain.interior();
  return {-beyond(-1, 0, 0),       n.ni + beyond(+1, 0, 0), -beyond(0, -1, 0),
          n.nj + beyond(0, +1, 0), -beyond(0, 0, -1),       n.nk + beyond(0, 0, +1)};
}

/// The thinnest halo with which the fused schedule works: as many layers as a pass has iterations
/// on GPUs; on CPUs passes have at least two.
int least_fused_halo(Device device) { return device.is_cuda() ? fused_iterations : 2; }

}  // namespace

Box Domain::updated(std::int64_t layers) const { return widened(*this, layers, 0); }

Box Domain::in_whole_grid(const Box& own) const {
  const Box origin = block();
  return {own.i0 + origin.i0, own.i1 + origin.i0, own.j0 + origin.j0,
          own.j1 + origin.j0, own.k0 + origin.k0, own.k1 + origin.k0};
}

Domain whole_domain(const GridSize& grid) {
  return {.grid = grid, .decomposition = Decomposition(grid.interior(), {})};
}

DecompositionRules decomposition_rules(const Problem& problem, int ranks) {
  DecompositionRules rules;
  rules.max_grid.k = needs_whole_rows(problem) ? 1 : rules.max_grid.k;
  if (problem.overlap == Overlap::two_part) {
    rules.max_grid.j = rules.max_grid.k = 1;
  }
  rules.halo_width = fuses(problem) && ranks > 1 ? least_fused_halo(problem.device) : 1;
  // Measured on two H200s, XL: 1x1x2 was 3 % slower than 2x1x1, though it sends half as much.
  rules.strided_cost = cells_per_sector(static_cast<std::size_t>(bytes_of(problem.precision)));
  return rules;
}

Decomposition decompose(const Problem& problem, int ranks) {
  const Extents points = problem.grid.interior();
  if (!problem.rank_grid) {
    return choose_decomposition(points, ranks, decomposition_rules(problem, ranks));
  }
  require(problem.rank_grid->count() == ranks,
          fmt::format("--ranks-grid {} is for {} ranks, this run has {}",
                      to_string(*problem.rank_grid), problem.rank_grid->count(), ranks),
          "leave it out, or start as many ranks");
  require(!needs_whole_rows(problem) || problem.rank_grid->k == 1,
          fmt::format("--ranks-grid {}: fused sweeps on a CPU work on whole rows",
                      to_string(*problem.rank_grid)),
          "use 1 along k, or another schedule");
  return {points, *problem.rank_grid};
}

bool fuses(const Problem& problem) {
  return std::ranges::find(problem.schedules, Schedule::fused) != problem.schedules.end();
}

int fused_sweeps_on_cpu(const Problem& problem, const Decomposition& decomposition, int most) {
  const auto element = static_cast<std::size_t>(bytes_of(problem.precision));
  const Layout layout(decomposition.largest_block(), 1, element);
  return plan_fused(layout, element, problem.threads, cache_share(problem.threads), most).sweeps;
}

int ghost_layers(const Problem& problem, const Decomposition& decomposition) {
  if (decomposition.ranks() == 1 || !fuses(problem)) {
    return 1;
  }
  const std::int64_t thinnest = thinnest_cut(decomposition);
  const int least = least_fused_halo(problem.device);
  require(
      thinnest >= least,
      fmt::format("--schedule fused: with ranks {} some blocks are {} point{} thin, and it needs "
                  "halos of {}",
                  to_string(decomposition.grid()), thinnest, thinnest == 1 ? "" : "s", least),
      "use fewer ranks or --schedule tuned");
  if (problem.device.is_cuda()) {
    return fused_iterations;
  }
  const int most = static_cast<int>(std::min<std::int64_t>(max_fused_sweeps, thinnest));
  return fused_sweeps_on_cpu(problem, decomposition, most);
}

HaloShape halo_shape(int layers) {
  return {.width = layers,
          .reach = layers == 1 ? HaloShape::Reach::edges : HaloShape::Reach::corners};
}

Box owned_box(const Domain& domain) { return widened(domain, 0, 1); }

std::vector<double> assemble(const Communicator& ranks, const Domain& domain,
                             const std::vector<double>& own) {
  const auto parts = ranks.all_gather(own);
  const GridSize& grid = domain.grid;
  std::vector<double> whole(static_cast<std::size_t>(grid.i * grid.j * grid.k));
  Domain there = domain;
  for (there.rank = 0; there.rank < ranks.size(); ++there.rank) {
    auto value = parts[static_cast<std::size_t>(there.rank)].begin();
    for_cells(there.in_whole_grid(owned_box(there)), [&](auto i, auto j, auto k) {
      whole[static_cast<std::size_t>(((i + 1) * grid.j + j + 1) * grid.k + k + 1)] = *value++;
    });
  }
  return whole;
}

}  // namespace bankfull::himeno
