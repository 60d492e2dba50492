#include "bankfull/workloads/probe/copies.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/workloads/probe/bandwidth.hpp"
#include "bankfull/workloads/probe/transfers.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr StreamPattern stream_copy{.operation = StreamOperation::copy,
                                    .precision = Precision::fp32};

Measurement device_copy(const std::string& name, std::int64_t array_bytes, bool fits_cache,
                        std::vector<double> samples) {
  const auto bytes = static_cast<double>(array_bytes);
  return {.name = name,
          .parameters = {{"operation", name}, {"array", array_bytes, "B"}},
          .seconds = summarise(std::move(samples)),
          .traffic = {.bytes_read = bytes, .bytes_written = bytes},
          .traffic_model = "both arrays once",
          .ceiling = std::nullopt,
          .figures = {},
          .notes = {},
          .fits_cache = fits_cache};
}

/// The shape in which the stream copy is fastest.
StreamGrid fastest_grid(const Problem& problem, Streams& streams, std::int64_t elements) {
  std::vector<std::pair<double, StreamGrid>> rates;
  for (const StreamGrid& grid : candidate_grids(problem.device)) {
    streams.use_grid(grid);
    rates.emplace_back(best_bandwidth(streams, stream_copy, elements, 3), grid);
  }
  return std::max_element(rates.begin(), rates.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

/// All three ways in turn, so that clocks and temperatures are the same for them.
void compare_device_copies(const Problem& problem, Transfers& transfers, RunResult& result) {
  const auto streams =
      make_streams(problem.device, 1, problem.working_set_to + padding_bytes(problem));
  const std::int64_t elements = elements_of(stream_copy, problem.working_set_to, 1);
  const std::int64_t array_bytes = elements * bytes_of(stream_copy.precision);
  streams->use_grid(fastest_grid(problem, *streams, elements));
  std::vector<double> ours;
  std::vector<double> plain;
  std::vector<double> runtime;
  for (int repeat = -1; repeat < problem.repeats; ++repeat) {
    const double a = streams->seconds(stream_copy, elements, 1);
    const double b = transfers.device_copy_seconds(DeviceCopy::plain, array_bytes);
    const double c = transfers.device_copy_seconds(DeviceCopy::memcpy_async, array_bytes);
    if (repeat >= 0) {
      ours.push_back(a);
      plain.push_back(b);
      runtime.push_back(c);
    }
  }
  const bool fits_cache = 2 * array_bytes <= 2 * last_cache_bytes(problem.device);
  Measurement stream = device_copy("stream copy", array_bytes, fits_cache, std::move(ours));
  Measurement kernel = device_copy("copy, plain kernel of one 16-byte access per thread",
                                   array_bytes, fits_cache, std::move(plain));
  Measurement memcpy =
      device_copy("copy, cudaMemcpyAsync", array_bytes, fits_cache, std::move(runtime));
  const double best = std::max(kernel.bytes_per_second(), memcpy.bytes_per_second());
  stream.figures.push_back({"of_best_other_copy", 100.0 * stream.bytes_per_second() / best, "%"});
  for (Measurement* measurement : {&stream, &kernel, &memcpy}) {
    result.measurements.push_back(std::move(*measurement));
  }
}

std::string name_of(Direction direction) {
  return direction == Direction::to_device ? "host to device"
         : direction == Direction::to_host ? "device to host"
                                           : "host to device and back at once";
}

Measurement host_copy(const Problem& problem, Transfers& transfers, Direction direction,
                      MemorySpace host) {
  std::vector<double> samples;
  for (int repeat = -1; repeat < problem.repeats; ++repeat) {
    const double seconds = transfers.host_copy_seconds(direction, host, problem.transfer_bytes);
    if (repeat >= 0) {
      samples.push_back(seconds);
    }
  }
  const auto bytes = static_cast<double>(problem.transfer_bytes);
  const std::string name =
      name_of(direction) + (host == MemorySpace::pinned ? ", pinned" : ", pageable");
  return {.name = name,
          .parameters = {{"operation", name}},
          .seconds = summarise(std::move(samples)),
          .traffic = {.bytes_read = direction == Direction::to_device ? 0.0 : bytes,
                      .bytes_written = direction == Direction::to_host ? 0.0 : bytes},
          .traffic_model = "bytes over the link, by the host's clock; read: from the device",
          .ceiling = std::nullopt,
          .figures = {},
          .notes = {},
          .fits_cache = false};
}

void check_contents(const Problem& problem, Transfers& transfers, RunResult& result) {
  const std::int64_t bytes =
      std::min(problem.transfer_bytes, (std::int64_t{1} << 20) + 48);  // an odd number of blocks
  for (const MemorySpace host : {MemorySpace::pinned, MemorySpace::host}) {
    const std::string kind = host == MemorySpace::pinned ? "pinned" : "pageable";
    result.checks.push_back(
        {.name = "copies to, within and from the device, " + kind + ": wrong bytes",
         .value = static_cast<double>(transfers.wrong_bytes(host, bytes / 16 * 16)),
         .reference = 0.0,
         .tolerance = 0.0,
         .source = "the bytes that were sent"});
  }
}

}  // namespace

void measure_copies(const Problem& problem, Progress& progress, RunResult& result) {
  if constexpr (build::cuda) {
    if (!problem.device.is_cuda()) {
      return;
    }
    const std::int64_t array = std::max(problem.working_set_to / 2, problem.transfer_bytes);
    const auto transfers = make_cuda_transfers(problem.device, array, problem.transfer_bytes);
    check_contents(problem, *transfers, result);
    compare_device_copies(problem, *transfers, result);
    for (const MemorySpace host : {MemorySpace::pinned, MemorySpace::host}) {
      for (const Direction direction :
           {Direction::to_device, Direction::to_host, Direction::both}) {
        progress.update("copies, " + name_of(direction), static_cast<double>(direction), 3.0);
        result.measurements.push_back(host_copy(problem, *transfers, direction, host));
      }
    }
  }
}

}  // namespace bankfull::probe
