#include "bankfull/core/measure/ceiling.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/core/memory/clearing.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace bankfull {
namespace {

constexpr int warm_up_passes = 1;

// A CPU whose last cache is large has passes of a tenth of a second: fewer are enough, each being
// a mean over much time. Counted in bytes, so that processes that measure at once end at once.
constexpr std::int64_t bytes_to_pass = 8192 * mib;
constexpr std::int64_t least_repeats = 4;

/// One way to run the same pass.
struct Way {
  StreamPattern pattern;
  StreamGrid grid;
  std::vector<double> seconds = {};
};

std::vector<Way> ways_to_run(Device device, const StreamPattern& pattern) {
  std::vector<Way> ways;
  if (device.is_cuda()) {
    for (const int threads : {256, 512, 1024}) {
      ways.push_back({.pattern = pattern, .grid = {.blocks = 0, .threads = threads}});
    }
    return ways;
  }
  for (const bool streaming : {false, true}) {
    if (streaming && pattern.writes() == 0) {
      break;
    }
    StreamPattern stored = pattern;
    stored.streaming_stores = streaming;
    ways.push_back({.pattern = stored, .grid = {}});
  }
  return ways;
}

int repeats_for(Device device, std::int64_t bytes, int most) {
  if (device.is_cuda()) {
    return most;
  }
  return static_cast<int>(
      std::min<std::int64_t>(most, std::max(least_repeats, bytes_to_pass / bytes)));
}

}  // namespace

void wait_until_cleared(const Communicator& ranks) {
  const double seconds = ranks.max(seconds_until_cleared());
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::int64_t last_cache_bytes(Device device) {
  if (device.is_cuda()) {
    return survey_gpus().gpus.at(static_cast<std::size_t>(device.index)).l2_bytes;
  }
  return last_level_cache_bytes();
}

int ceiling_repeats_of_run(Device device, double run_bytes) {
  const bool brief = !device.is_cuda() && run_bytes < static_cast<double>(gib);
  return brief ? brief_ceiling_repeats : usual_ceiling_repeats;
}

std::int64_t memory_working_set(Device device, std::int64_t at_least, int times_last_cache) {
  const std::int64_t wanted = std::max(times_last_cache * last_cache_bytes(device), at_least);
  return std::min(wanted, free_bytes(device) / 2);
}

Ceiling measure_ceiling(Device device, int threads, const Mix& mix, Precision precision,
                        int sharing, int repeats) {
  const bool brief = repeats == brief_ceiling_repeats;
  const std::int64_t least =
      device.is_cuda() ? 4096 * mib : std::max((brief ? 64 : 256) / sharing, 4 * threads) * mib;
  const std::int64_t bytes = memory_working_set(device, least * sharing, brief ? 2 : 8) / sharing;
  const auto streams = make_streams(device, threads, bytes);
  const StreamPattern pattern = pattern_of(mix, precision);
  const std::int64_t elements =
      streams->capacity(pattern) / Streams::granularity * Streams::granularity;
  std::vector<Way> ways = ways_to_run(device, pattern);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds_until_cleared()));
  const int timed_passes = repeats_for(device, bytes * sharing, repeats);
  for (int repeat = -warm_up_passes; repeat < timed_passes; ++repeat) {
    for (Way& way : ways) {
      streams->use_grid(way.grid);
      const double seconds = streams->seconds(way.pattern, elements, 1);
      if (repeat >= 0) {
        way.seconds.push_back(seconds);
      }
    }
  }
  Ceiling best;
  for (const Way& way : ways) {
    const Traffic traffic = way.pattern.traffic(elements);
    const Statistics statistics = summarise(way.seconds);
    if (traffic.bytes() / statistics.min > best.bytes_per_second) {
      best = {.name = to_string(way.pattern),
              .bytes_per_second = traffic.bytes() / statistics.min,
              .working_set_bytes = traffic.bytes(),
              .seconds = statistics,
              .brief = brief};
    }
  }
  return best;
}

}  // namespace bankfull
