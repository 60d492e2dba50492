#include "bankfull/workloads/probe/plan.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/workloads/probe/chip.hpp"
#include "bankfull/workloads/probe/link.hpp"
#include "bankfull/workloads/probe/peers.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::probe {
namespace {

constexpr const char* remedy = "ask for smaller working sets, footprints, copies or messages";

void require_limit(std::int64_t need, const Problem& problem) {
  const auto text = [](std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
  require(need <= problem.memory_limit,
          fmt::format("the probe needs {}, more than the {} that it may hold on {}", text(need),
                      text(problem.memory_limit), to_string(problem.device)),
          fmt::format("{}, or allow more memory", remedy));
}

PeerMemory memory_of_peers() {
  return peer_memory(static_cast<int>(survey_gpus().gpus.size()), peer_copy_bytes);
}

/// Of the walks in the host's memory.
std::int64_t host_chain_bytes(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Walk& walk : walks(problem)) {
    bytes = std::max(bytes, walk.in_host_memory ? footprint_to(problem, walk) : 0);
  }
  return bytes;
}

}  // namespace

void require_rank_count(Part part, const Communicator& ranks) {
  require(part != Part::link || ranks.size() > 1, "probe link runs between ranks",
          "start it with mpirun -n 2");
  require(part == Part::link || ranks.size() == 1,
          fmt::format("probe {} runs on one rank, but there are {}", to_string(part), ranks.size()),
          "start it without mpirun, or use probe link, which runs between ranks");
}

Plan make_plan(const Problem& problem, const Communicator& ranks, CeilingRule ceilings,
               Shortage shortage) {
  require_rank_count(problem.part, ranks);
  const Footprints footprints(problem.device, problem.threads, ranks, ceilings);
  Plan plan;
  ranks.agree([&] {
    if (problem.part == Part::peers) {
      require_peers(problem);
    }
    plan.problem = complete(problem);
    WorkBytes work = work_bytes(plan.problem);
    require_limit(work.device, plan.problem);
    if (has_part(plan.problem, Part::bandwidth)) {
      plan.ceiling_bytes = ceiling_working_set(problem.device, problem.threads,
                                               std::max(plan.problem.working_set_to, gib));
    }
    work.device = std::max(work.device, plan.ceiling_bytes);
    plan.footprint = footprints.of(work);
  });
  plan.shortage = footprints.require(
      ranks, plan.footprint, "the probe", [] { return remedy; }, shortage);
  if (has_part(plan.problem, Part::link)) {
    require_links(plan.problem, ranks);
  }
  return plan;
}

WorkBytes work_bytes(const Problem& problem) {
  if (problem.part == Part::link) {
    // A field of 4 planes of 3 rows, ghosts included, and the messages of two neighbours: outgoing
    // and incoming, or two slots of an inbox.
    return {.device = 16 * problem.working_set_to};
  }
  // On a GPU the copies that are compared have arrays of their own.
  const std::int64_t streams =
      problem.working_set_to + padding_bytes(problem) +
      (problem.device.is_cuda() ? std::max(problem.working_set_to, 2 * problem.transfer_bytes) : 0);
  const std::int64_t order =
      4 * std::min(max_nodes(problem.device), problem.footprint_to / line_bytes(problem.device));
  const std::int64_t chain = problem.footprint_to + order;
  const bool bandwidth = has_part(problem, Part::bandwidth);
  const bool latency = has_part(problem, Part::latency);
  const PeerMemory peers = has_part(problem, Part::peers) ? memory_of_peers() : PeerMemory{};
  return {
      .device = std::max({bandwidth ? streams : 0, latency ? chain : 0,
                          has_part(problem, Part::chip) ? chip_bytes(problem) : 0, peers.each_gpu}),
      .host = std::max(peers.host, latency ? host_chain_bytes(problem) : 0),
      .working_set = bandwidth ? problem.working_set_to : 0};
}

}  // namespace bankfull::probe
