#include "bankfull/build_config.hpp"
#include "bankfull/core/memory/memory_space_names.hpp"
#include "bankfull/workloads/probe/bandwidth.hpp"
#include "bankfull/workloads/probe/timed_pass.hpp"
#include "bankfull/workloads/probe/transfers.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr StreamPattern stream_copy{.operation = StreamOperation::copy,
                                    .precision = Precision::fp32};

TimedPass device_copy(const std::string& name, std::int64_t array_bytes,
                      const std::function<double()>& seconds) {
  const auto bytes = static_cast<double>(array_bytes);
  return {.name = name,
          .work = {.traffic = {.bytes_read = bytes, .bytes_written = bytes},
                   .model = "both arrays once",
                   .working_set_bytes = 2.0 * bytes,
                   .precision = stream_copy.precision},
          .parameters = {{"operation", name}, {"array", array_bytes, "B"}},
          .seconds = seconds};
}

/// Alternates between all three copies, so that clocks and temperatures are the same for them.
void compare_device_copies(const Problem& problem, Transfers& transfers, Experiment& experiment,
                           RunResult& result) {
  const auto streams =
      make_streams(problem.device, 1, problem.working_set_to + padding_bytes(problem));
  const std::int64_t elements = elements_of(stream_copy, problem.working_set_to, 1);
  const std::int64_t array_bytes = elements * bytes_of(stream_copy.precision);
  streams->use_grid(fastest_grid(problem.device, *streams, stream_copy, elements, 3).grid);
  const auto copied = [&](DeviceCopy way) {
    return
        [&transfers, way, array_bytes] { return transfers.device_copy_seconds(way, array_bytes); };
  };
  std::vector<Measurement> ways = measure_in_turn(
      experiment,
      {device_copy("stream copy", array_bytes,
                   [&] { return streams->seconds(stream_copy, elements, 1); }),
       device_copy("copy, plain kernel of one 16-byte access per thread", array_bytes,
                   copied(DeviceCopy::plain)),
       device_copy("copy, cudaMemcpyAsync", array_bytes, copied(DeviceCopy::memcpy_async))},
      problem.repeats);
  const double others = std::min(ways[1].seconds.median, ways[2].seconds.median);
  ways[0].figures.push_back({"of_best_other_copy", 100.0 * others / ways[0].seconds.median, "%"});
  std::move(ways.begin(), ways.end(), std::back_inserter(result.measurements));
}

TimedPass host_copy(const Problem& problem, Transfers& transfers, Direction direction,
                    MemorySpace host) {
  const std::int64_t count = problem.transfer_bytes;
  const auto bytes = static_cast<double>(count);
  const std::string name =
      direction_names.to_string(direction) + ", " + memory_space_names.to_string(host);
  return {.name = name,
          .work = {.traffic = {.bytes_read = direction == Direction::to_device ? 0.0 : bytes,
                               .bytes_written = direction == Direction::to_host ? 0.0 : bytes},
                   .model = "bytes over the link, by the host's clock; read: from the device",
                   .is_bound_by_memory = false},
          .parameters = {{"operation", name}},
          .seconds = [&transfers, direction, host, count] {
            return transfers.host_copy_seconds(direction, host, count);
          }};
}

void check_contents(const Problem& problem, Transfers& transfers, RunResult& result) {
  const std::int64_t bytes =
      std::min(problem.transfer_bytes, (std::int64_t{1} << 20) + 48);  // an odd number of blocks
  for (const MemorySpace host : {MemorySpace::pinned, MemorySpace::host}) {
    result.checks.push_back(
        {.name = "copies to, within and from the device, " + memory_space_names.to_string(host) +
                 ": wrong bytes",
         .value = static_cast<double>(transfers.wrong_bytes(host, bytes / 16 * 16)),
         .source = "the bytes that were sent"});
  }
}

}  // namespace

void measure_copies(const Problem& problem, const RunContext& context, Experiment& experiment,
                    RunResult& result) {
  if constexpr (build::cuda) {
    if (!problem.device.is_cuda()) {
      return;
    }
    const std::int64_t array = std::max(problem.working_set_to / 2, problem.transfer_bytes);
    const auto transfers = make_cuda_transfers(problem.device, array, problem.transfer_bytes);
    check_contents(problem, *transfers, result);
    compare_device_copies(problem, *transfers, experiment, result);
    for (const MemorySpace host : {MemorySpace::pinned, MemorySpace::host}) {
      for (const Direction direction :
           {Direction::to_device, Direction::to_host, Direction::both}) {
        context.begin("copies, " + direction_names.to_string(direction),
                      static_cast<double>(direction), 3.0);
        const TimedPass copy = host_copy(problem, *transfers, direction, host);
        result.measurements.push_back(measure_in_turn(experiment, {copy}, problem.repeats).front());
      }
    }
  }
}

}  // namespace bankfull::probe
