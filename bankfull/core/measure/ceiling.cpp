#include "bankfull/core/measure/ceiling.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/core/memory/clearing.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace bankfull {

std::vector<CeilingProbe::Candidate> CeilingProbe::candidates(Device device,
                                                              const StreamPattern& pattern) {
  std::vector<Candidate> all;
  if (device.is_cuda()) {
    for (const int threads : {256, 512, 1024}) {
      all.push_back({.pattern = pattern, .grid = {.blocks = 0, .threads = threads}});
    }
    return all;
  }
  for (const bool streaming : {false, true}) {
    if (streaming && pattern.writes() == 0) {
      break;
    }
    StreamPattern stored = pattern;
    stored.streaming_stores = streaming;
    all.push_back({.pattern = stored, .grid = {}});
  }
  return all;
}

CeilingProbe::CeilingProbe(Device device, int threads, std::int64_t bytes, int sharing)
    : device_(device), streams_(make_streams(device, threads, bytes / sharing)) {}

void CeilingProbe::choose(const Mix& mix, Precision precision) {
  const StreamPattern pattern = pattern_of(mix, precision);
  elements_ = streams_->capacity(pattern) / Streams::granularity * Streams::granularity;
  if (elements_ == 0) {
    throw RuntimeFailure("no memory is left to measure a ceiling in; --ceiling none does without");
  }
  candidates_ = candidates(device_, pattern);
}

double CeilingProbe::warm_up() {
  double pass = 0.0;
  for (const Candidate& candidate : candidates_) {
    streams_->use_grid(candidate.grid);
    pass += streams_->seconds(candidate.pattern, elements_, 1);
  }
  return pass;
}

int CeilingProbe::repeats_within(double seconds, double seconds_per_pass) {
  constexpr double min_repeats = 2.0;
  constexpr double min_seconds = 0.1;
  return static_cast<int>(std::clamp(std::max(seconds, min_seconds) / seconds_per_pass, min_repeats,
                                     static_cast<double>(max_repeats)));
}

Ceiling CeilingProbe::measure(int repeats, const SharedPass& shared) {
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (Candidate& candidate : candidates_) {
      streams_->use_grid(candidate.grid);
      shared.begin();
      const double seconds = streams_->seconds(candidate.pattern, elements_, 1);
      candidate.seconds.push_back(shared.slowest(seconds));
    }
  }
  Ceiling best;
  for (const Candidate& candidate : candidates_) {
    const Traffic traffic = candidate.pattern.traffic(elements_);
    const Statistics statistics = summarise(candidate.seconds);
    const double rate = traffic.bytes() / statistics.min;
    if (rate > best.bytes_per_second) {
      best = {.name = to_string(candidate.pattern),
              .bytes_per_second = rate,
              .working_set_bytes = traffic.bytes(),
              .seconds = statistics,
              .rates = {rate}};
    }
  }
  return best;
}

Ceiling measure_ceiling(Device device, int threads, const Mix& mix, Precision precision,
                        const CeilingBudget& budget) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds_until_cleared()));
  const Stopwatch watch;
  CeilingProbe probe(device, threads, ceiling_working_set(device, threads, budget.bytes));
  probe.choose(mix, precision);
  const double pass = probe.warm_up();
  return probe.measure(CeilingProbe::repeats_within(budget.seconds - watch.seconds(), pass));
}

std::int64_t ceiling_working_set(Device device, int threads, std::int64_t at_most) {
  constexpr std::int64_t times_last_cache = 8;
  const std::int64_t least = device.is_cuda() ? 4096 * mib : std::max(256, 4 * threads) * mib;
  const std::int64_t wanted = std::max(times_last_cache * last_cache_bytes(device), least);
  const std::int64_t allowed = at_most > 0 ? std::min(wanted, at_most) : wanted;
  return std::min(allowed, free_bytes(device) / 2);
}

}  // namespace bankfull
