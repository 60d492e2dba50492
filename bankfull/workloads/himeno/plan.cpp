#include "bankfull/workloads/himeno/plan.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/overlap.hpp"
#include "bankfull/workloads/himeno/verify.hpp"

#include <algorithm>
#include <string>

namespace bankfull::himeno {
namespace {

/// What the CPU's solver has beside its fields.
std::int64_t bytes_beside_fields(const Problem& problem, const Decomposition& decomposition,
                                 int ghosts) {
  if (problem.device.is_cuda()) {
    return 0;
  }
  const auto element = static_cast<std::size_t>(bytes_of(problem.precision));
  const Layout layout(decomposition.largest_block(), ghosts, element);
  const FusedPassPlan plan = plan_fused_here(ghosts, layout, element, problem.threads);
  return bytes_between_sweeps(plan, layout, element);
}

/// Peak memory of the busiest rank.
WorkBytes work_bytes(const Problem& problem, const Decomposition& decomposition, int ghosts) {
  const std::int64_t fields =
      memory_bytes(decomposition.largest_block(), ghosts, problem.precision);
  const WorkBytes checks = verification_bytes(problem, decomposition, ghosts);
  return {.device = fields + bytes_beside_fields(problem, decomposition, ghosts) + checks.device,
          .host = checks.host,
          .working_set = fields};
}

/// A size that the ranks cannot cut does not fit either.
bool fits(const Problem& problem, int ranks, const Footprints& footprints) {
  try {
    const Decomposition decomposition = decompose(problem, ranks);
    const int ghosts = ghost_layers(problem, decomposition);
    return footprints.fits(footprints.of(work_bytes(problem, decomposition, ghosts)));
  } catch (const UsageError&) {
    return false;
  }
}

std::string largest_standard_that_fits(const Problem& problem, int ranks,
                                       const Footprints& footprints) {
  const auto& sizes = standard_sizes();
  const auto largest = std::find_if(sizes.rbegin(), sizes.rend(), [&](const StandardSize& size) {
    Problem smaller = problem;
    smaller.grid = size.grid;
    return size.grid.updated_points() < problem.grid.updated_points() &&
           fits(smaller, ranks, footprints);
  });
  return largest == sizes.rend() ? "no smaller standard size fits"
                                 : "the largest standard size that fits is " + largest->name;
}

}  // namespace

Plan make_plan(const Problem& problem, const Communicator& ranks, CeilingRule ceilings,
               Shortage shortage) {
  check_values(problem);
  const Decomposition decomposition = decompose(problem, ranks.size());
  // Another number may be better on machines with other caches.
  const auto ghosts =
      static_cast<int>(ranks.min(std::int64_t{ghost_layers(problem, decomposition)}));
  const Domain domain{
      .grid = problem.grid, .decomposition = decomposition, .rank = ranks.rank(), .ghosts = ghosts};
  // Errors that would otherwise show only once fields are in memory.
  static_cast<void>(plan_pass(problem.overlap, domain, {}, problem.split));
  if (ranks.size() > 1) {
    require_transport(problem.transport, ranks, problem.device);
  }
  const Footprints footprints(problem.device, problem.threads, ranks, ceilings);
  Plan plan{.problem = problem,
            .domain = domain,
            .field_bytes = memory_bytes(domain.interior(), ghosts, problem.precision),
            .footprint = footprints.of(work_bytes(problem, decomposition, ghosts))};
  plan.shortage = footprints.require(
      ranks, plan.footprint, "himeno " + name_of(problem.grid),
      [&] { return largest_standard_that_fits(problem, ranks.size(), footprints); }, shortage);
  return plan;
}

}  // namespace bankfull::himeno
