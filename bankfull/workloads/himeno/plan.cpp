#include "bankfull/workloads/himeno/plan.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/workloads/himeno/block_reference.hpp"
#include "bankfull/workloads/himeno/overlap.hpp"

#include <algorithm>
#include <string>

namespace bankfull::himeno {
namespace {

/// Bytes that the busiest rank needs on its device.
std::int64_t device_bytes_of_rank(const Problem& problem, const Decomposition& decomposition,
                                  int ghosts) {
  const std::int64_t fields =
      memory_bytes(decomposition.largest_block(), ghosts, problem.precision);
  return fields + working_memory_bytes(fields);
}

/// Bytes of the pressures that the verification of a rank on a GPU compares on the host, as they
/// are in the field and in fp64.
std::int64_t compared_bytes_of_rank(const Problem& problem, const Decomposition& decomposition) {
  const std::int64_t points = points_of(sampled_blocks(decomposition.largest_block()));
  return points * (bytes_of(problem.precision) + bytes_of(Precision::fp64));
}

/// A size that the ranks cannot cut does not fit either.
bool fits(const Problem& problem, int ranks, std::int64_t available) {
  try {
    const Decomposition decomposition = decompose(problem, ranks);
    const int ghosts = ghost_layers(problem, decomposition);
    return device_bytes_of_rank(problem, decomposition, ghosts) <= available;
  } catch (const UsageError&) {
    return false;
  }
}

std::string largest_standard_that_fits(const Problem& problem, int ranks, std::int64_t available) {
  const auto& sizes = standard_sizes();
  const auto largest = std::find_if(sizes.rbegin(), sizes.rend(), [&](const StandardSize& size) {
    Problem smaller = problem;
    smaller.grid = size.grid;
    return size.grid.updated_points() < problem.grid.updated_points() &&
           fits(smaller, ranks, available);
  });
  return largest == sizes.rend() ? "no smaller standard size fits"
                                 : "the largest standard size that fits is " + largest->name;
}

/// `sharing` ranks have the same device.
void check_memory(const Plan& plan, int ranks, int sharing) {
  const Problem& problem = plan.problem;
  const std::string what = "himeno " + name_of(problem.grid);
  const std::int64_t available = free_bytes(problem.device);
  if (plan.device_bytes > available) {
    require_capacity(problem.device, plan.device_bytes, what,
                     largest_standard_that_fits(problem, ranks, available / sharing));
  }
  require_capacity(Device::cpu(), plan.host_bytes, what, "use fewer ranks on a node");
}

}  // namespace

Plan make_plan(const Problem& problem, const Communicator& ranks) {
  check_values(problem);
  const Decomposition decomposition = decompose(problem, ranks.size());
  // Machines with other caches may want another number.
  const auto ghosts =
      static_cast<int>(ranks.min(std::int64_t{ghost_layers(problem, decomposition)}));
  const Domain domain{
      .grid = problem.grid, .decomposition = decomposition, .rank = ranks.rank(), .ghosts = ghosts};
  // What would only show once fields are in memory.
  static_cast<void>(plan_pass(problem.overlap, domain, {}, problem.split));
  if (ranks.size() > 1) {
    require_transport(problem.transport, ranks, problem.device);
  }
  const int sharing = sharers_of_device(ranks, problem.device);
  const std::int64_t on_device = sharing * device_bytes_of_rank(problem, decomposition, ghosts);
  const std::int64_t on_host =
      problem.device.is_cuda() ? ranks.local_size() * compared_bytes_of_rank(problem, decomposition)
                               : on_device;
  Plan plan{.problem = problem,
            .domain = domain,
            .field_bytes = memory_bytes(domain.interior(), ghosts, problem.precision),
            .device_bytes = on_device,
            .host_bytes = on_host};
  ranks.agree([&] { check_memory(plan, ranks.size(), sharing); });
  return plan;
}

void validate(const Problem& problem, const Communicator& ranks) {
  static_cast<void>(make_plan(problem, ranks));
}

}  // namespace bankfull::himeno
