#include "bankfull/workloads/probe/peers.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/statistics.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/pair_matrix.hpp"
#include "bankfull/workloads/probe/timed_pass.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr std::int64_t peer_chain_bytes = std::int64_t{4} << 20;

std::vector<Device> gpus_of(int gpus) {
  std::vector<Device> all;
  all.reserve(static_cast<std::size_t>(gpus));
  for (int gpu = 0; gpu < gpus; ++gpu) {
    all.push_back(Device::cuda(gpu));
  }
  return all;
}

std::vector<double> peer_samples(const Problem& problem, const std::function<double()>& seconds) {
  std::vector<double> samples;
  seconds();  // warm
  for (int n = 0; n < std::min(problem.repeats, 5); ++n) {
    samples.push_back(seconds());
  }
  return samples;
}

double bytes_in_a_row(const PeerTransfers& transfers, std::size_t routes) {
  return static_cast<double>(transfers.bytes()) * PeerTransfers::copies_in_a_row *
         static_cast<double>(routes);
}

/// Copies of all pairs, one way and both ways.
void measure_pair_copies(const Problem& problem, const RunContext& context,
                         PeerTransfers& transfers, int gpus, const Experiment& experiment,
                         RunResult& result) {
  PairMatrix one_way{.name = "peer copy, one way",
                     .first_name = "from_gpu",
                     .second_name = "to_gpu",
                     .bytes = bytes_in_a_row(transfers, 1),
                     .model = "bytes that the source sends"};
  PairMatrix both_ways{.name = "peer copy, both ways",
                       .first_name = "between_gpu",
                       .second_name = "and_gpu",
                       .bytes = bytes_in_a_row(transfers, 2),
                       .model = "bytes that both send"};
  const std::vector<Route> pairs = peer_pairs(gpus);
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    context.begin("copies between GPUs", static_cast<double>(n), static_cast<double>(pairs.size()));
    const Route& pair = pairs[n];
    one_way.pairs.push_back({pair.from.index, pair.to.index, peer_samples(problem, [&] {
                               return transfers.copy_seconds({pair});
                             })});
    both_ways.pairs.push_back({pair.from.index, pair.to.index, peer_samples(problem, [&] {
                                 return transfers.copy_seconds({pair, {pair.to, pair.from}});
                               })});
  }
  publish_matrix(one_way, experiment, result);
  publish_matrix(both_ways, experiment, result);
}

/// Reads by kernels: a whole array, and one dependent load after the other.
void measure_pair_reads(const Problem& problem, const RunContext& context, PeerTransfers& transfers,
                        int gpus, const Experiment& experiment, RunResult& result) {
  PairMatrix rates{.name = "peer read by a kernel",
                   .first_name = "reader_gpu",
                   .second_name = "owner_gpu",
                   .bytes = static_cast<double>(transfers.bytes()),
                   .model = "bytes that the reader loads"};
  PairMatrix latencies{.name = "peer latency",
                       .first_name = "reader_gpu",
                       .second_name = "owner_gpu",
                       .model = "one dependent load, of a line of which 8 bytes are used"};
  std::int64_t wrong = 0;
  int unreachable = 0;
  const std::vector<Route> pairs = peer_pairs(gpus);
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    context.begin("reads between GPUs", static_cast<double>(n), static_cast<double>(pairs.size()));
    const Route& pair = pairs[n];  // reader and owner
    if (!transfers.can_read(pair.from, pair.to)) {
      ++unreachable;
      continue;
    }
    rates.pairs.push_back({pair.from.index, pair.to.index, peer_samples(problem, [&] {
                             const PeerRead read = transfers.read(pair.from, pair.to);
                             wrong += read.is_right ? 0 : 1;
                             return read.seconds;
                           })});
    const auto chase = make_remote_chase(pair.from, pair.to, peer_chain_bytes);
    const std::int64_t line = line_bytes(pair.from);
    const ChainLayout layout = make_layout(peer_chain_bytes, line, line, peer_chain_bytes / line);
    chase->build(layout, random_cycle(layout.nodes, 2008));
    constexpr std::int64_t loads = 1 << 13;
    latencies.pairs.push_back({pair.from.index, pair.to.index, peer_samples(problem, [&] {
                                 return chase->seconds(loads) / static_cast<double>(loads);
                               })});
  }
  publish_matrix(rates, experiment, result);
  publish_matrix(latencies, experiment, result);
  result.checks.push_back({.name = "peer reads by kernels: wrong sums",
                           .value = static_cast<double>(wrong),
                           .source = "small integers, summed exactly"});
  if (unreachable > 0) {
    result.notes.push_back(fmt::format(
        "{} pairs of GPUs have no peer access: no reads by kernels, and copies go through the host",
        unreachable));
  }
}

/// Refers to both.
TimedPass pass_of_pattern(PeerTransfers& transfers, const PeerPattern& pattern) {
  return {.name = pattern.name,
          .work = {.traffic = {.bytes_written = bytes_in_a_row(transfers, pattern.routes.size())},
                   .model = "bytes over all routes",
                   .is_bound_by_memory = false},
          .parameters = {{"operation", pattern.name},
                         {"routes", static_cast<std::int64_t>(pattern.routes.size())}},
          .seconds = [&transfers, &pattern] { return transfers.copy_seconds(pattern.routes); }};
}

void measure_peer_patterns(const Problem& problem, PeerTransfers& transfers, int gpus,
                           Experiment& experiment, RunResult& result) {
  const std::vector<PeerPattern> patterns = peer_patterns(gpus);
  std::vector<TimedPass> passes;
  passes.reserve(patterns.size());
  for (const PeerPattern& pattern : patterns) {
    passes.push_back(pass_of_pattern(transfers, pattern));
  }
  std::vector<Measurement> measured = measure_in_turn(experiment, passes, problem.repeats);
  std::move(measured.begin(), measured.end(), std::back_inserter(result.measurements));
}

/// Each GPU with the host by itself.
void measure_host_copies(const Problem& problem, PeerTransfers& transfers, int gpus,
                         RunResult& result) {
  for (const bool upward : {true, false}) {
    Series series{.name = upward ? "host to each GPU" : "each GPU to the host",
                  .x_name = "gpu",
                  .x_unit = {},
                  .y_name = "bandwidth",
                  .y_unit = "B/s"};
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const Route route = upward ? Route{Device::cpu(), Device::cuda(gpu)}
                                 : Route{Device::cuda(gpu), Device::cpu()};
      const double seconds =
          summarise(peer_samples(problem, [&] { return transfers.copy_seconds({route}); })).median;
      series.points.emplace_back(gpu, bytes_in_a_row(transfers, 1) / seconds);
    }
    result.series.push_back(std::move(series));
  }
}

void check_copies(PeerTransfers& transfers, int gpus, RunResult& result) {
  std::vector<Route> routes = peer_pairs(gpus);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    routes.push_back({Device::cuda(gpu), Device::cpu()});
    routes.push_back({Device::cpu(), Device::cuda(gpu)});
  }
  std::int64_t wrong = 0;
  for (const Route& route : routes) {
    wrong += transfers.wrong_words(route);
  }
  result.checks.push_back({.name = "copies between GPUs and with the host: wrong words",
                           .value = static_cast<double>(wrong),
                           .source = "numbers that name their sender and place"});
}

}  // namespace

std::vector<Route> peer_pairs(int gpus) {
  std::vector<Route> pairs;
  for (int from = 0; from < gpus; ++from) {
    for (int to = 0; to < gpus; ++to) {
      if (from != to) {
        pairs.push_back({Device::cuda(from), Device::cuda(to)});
      }
    }
  }
  return pairs;
}

std::vector<PeerPattern> peer_patterns(int gpus) {
  PeerPattern one_to_all{"one GPU to all others", {}};
  PeerPattern all_to_one{"all other GPUs to one", {}};
  PeerPattern to_host{"all GPUs to the host", {}};
  PeerPattern from_host{"host to all GPUs", {}};
  for (int gpu = 0; gpu < gpus; ++gpu) {
    const Device device = Device::cuda(gpu);
    if (gpu > 0) {
      one_to_all.routes.push_back({Device::cuda(0), device});
      all_to_one.routes.push_back({device, Device::cuda(0)});
    }
    to_host.routes.push_back({device, Device::cpu()});
    from_host.routes.push_back({Device::cpu(), device});
  }
  return {one_to_all, all_to_one, {"all GPUs to all others", peer_pairs(gpus)}, to_host, from_host};
}

void require_peers(const Problem& problem) {
  require(problem.device.is_cuda(), "probe peers runs between GPUs", "use --device cuda");
  const std::size_t gpus = survey_gpus().gpus.size();
  require(gpus > 1, fmt::format("probe peers needs two GPUs, but this process can use {}", gpus),
          "run it where CUDA_VISIBLE_DEVICES names several");
}

void measure_peers(const Problem& problem, const RunContext& context, Experiment& experiment,
                   RunResult& result) {
  if constexpr (build::cuda) {
    const auto gpus = static_cast<int>(survey_gpus().gpus.size());
    experiment.work_on(gpus_of(gpus));
    const auto transfers = make_cuda_peer_transfers(gpus, peer_copy_bytes);
    check_copies(*transfers, gpus, result);
    measure_pair_copies(problem, context, *transfers, gpus, experiment, result);
    measure_pair_reads(problem, context, *transfers, gpus, experiment, result);
    context.begin("several copies at once", 0.0, 1.0);
    measure_peer_patterns(problem, *transfers, gpus, experiment, result);
    measure_host_copies(problem, *transfers, gpus, result);
    experiment.work_on({problem.device});
  }
}

}  // namespace bankfull::probe
