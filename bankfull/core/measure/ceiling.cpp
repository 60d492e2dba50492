#include "bankfull/core/measure/ceiling.hpp"

#include <algorithm>

#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/memory/capacity.hpp"

namespace bankfull {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

std::vector<StreamPattern> ways_to_store(Device device, int reads, Precision precision) {
  const StreamPattern ordinary{.operation = StreamOperation::mix,
                               .mix_reads = reads,
                               .precision = precision,
                               .streaming_stores = false};
  if (device.is_cuda()) {
    return {ordinary};
  }
  StreamPattern streaming = ordinary;
  streaming.streaming_stores = true;
  return {ordinary, streaming};
}

}  // namespace

std::int64_t last_cache_bytes(Device device) {
  if (device.is_cuda()) {
    return survey_gpus().gpus.at(static_cast<std::size_t>(device.index)).l2_bytes;
  }
  return last_level_cache_bytes();
}

std::int64_t memory_working_set(Device device, std::int64_t at_least) {
  const std::int64_t wanted = std::max(8 * last_cache_bytes(device), at_least);
  return std::min(wanted, free_bytes(device) / 2);
}

Ceiling measure_ceiling(Device device, int threads, int reads, Precision precision, int repeats) {
  const std::int64_t bytes = memory_working_set(device, device.is_cuda() ? 4096 * mib : 256 * mib);
  const auto streams = make_streams(device, threads, bytes);
  const std::vector<StreamPattern> ways = ways_to_store(device, reads, precision);
  std::vector<std::vector<double>> samples(ways.size());
  const std::int64_t elements =
      streams->capacity(ways.front()) / Streams::granularity * Streams::granularity;
  for (int repeat = -2; repeat < repeats; ++repeat) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      const double seconds = streams->seconds(ways[way], elements, 1);
      if (repeat >= 0) {
        samples[way].push_back(seconds);
      }
    }
  }
  Ceiling best;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const Traffic traffic = ways[way].traffic(elements);
    const Statistics statistics = summarise(samples[way]);
    if (traffic.bytes() / statistics.min > best.bytes_per_second) {
      best = {.name = to_string(ways[way]),
              .bytes_per_second = traffic.bytes() / statistics.min,
              .working_set_bytes = traffic.bytes(),
              .seconds = statistics};
    }
  }
  return best;
}

}  // namespace bankfull
