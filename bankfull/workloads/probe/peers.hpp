#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/workloads/probe/peer_transfers.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::probe {

/// Copies that run at the same time.
struct PeerPattern {
  std::string name;
  std::vector<Route> routes;
};

/// One to all others and all others to one (GPU 0), all to all, all to the host, and back.
std::vector<PeerPattern> peer_patterns(int gpus);

/// All ordered pairs of different GPUs, by their numbers: the first varies slowest.
std::vector<Route> peer_pairs(int gpus);

/// Size of a copy between GPUs.
inline constexpr std::int64_t peer_copy_bytes = std::int64_t{64} << 20;

/// Throws UsageError if a completed problem that measures peers has no two GPUs.
void require_peers(const Problem& problem);

/// What nvbandwidth measures, by one process: copies and reads between all pairs of GPUs (series by
/// the one GPU over the number of the other, and a measurement of the slowest pair), patterns of
/// several copies at once (measurements), and the checks that contents arrive.
void measure_peers(const Problem& problem, const RunContext& context, Experiment& experiment,
                   RunResult& result);

}  // namespace bankfull::probe
