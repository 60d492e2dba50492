#include "bankfull/workloads/probe/core_pairs.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/pinned_threads.hpp"
#include "bankfull/core/machine/numa.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/probe/pair_matrix.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr int max_cores = 24;
constexpr PartSeconds all_pairs{.quick = 2.5, .usual = 5.0};
constexpr int max_samples = 5;

/// Of the warm-up and of each sample, at most: every pair has the same share of the budget.
double seconds_of_sample(const Problem& problem, std::size_t pairs) {
  constexpr double most = 20e-3;
  const double share =
      budget_of(problem, all_pairs).left() / static_cast<double>(pairs * (max_samples + 1));
  return std::min(most, share);
}

/// What the two threads share: odd numbers ask, the even ones after them answer. Alone in two
/// lines, because processors fetch lines in pairs.
struct alignas(128) Ball {
  static constexpr std::uint32_t end = 0xffffffffU;
  std::atomic<std::uint32_t> number{0};
};

void await(const Ball& ball, std::uint32_t number) {
  while (ball.number.load(std::memory_order_acquire) != number) {
  }
}

/// Asks `rounds` times, or until the time is over; returns how often.
std::uint32_t ask(Ball& ball, std::uint32_t asked, int rounds, double most_seconds,
                  const Stopwatch& watch) {
  constexpr std::uint32_t rounds_per_look = 128;
  for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(rounds); ++n) {
    if (n % rounds_per_look == rounds_per_look - 1 && watch.seconds() > most_seconds) {
      return n;
    }
    const std::uint32_t number = 2 * (asked + n) + 1;
    ball.number.store(number, std::memory_order_release);
    await(ball, number + 1);
  }
  return static_cast<std::uint32_t>(rounds);
}

/// Answers until the end; returns how often.
std::uint32_t answer_all(Ball& ball) {
  std::uint32_t answered = 0;
  std::uint32_t number = 0;
  while ((number = ball.number.load(std::memory_order_acquire)) != Ball::end) {
    if (number % 2 == 1) {
      ball.number.store(number + 1, std::memory_order_release);
      ++answered;
    }
  }
  return answered;
}

}  // namespace

std::vector<int> sample_evenly(const std::vector<int>& processors, int most) {
  expects(most >= 2, "a sample has both ends");
  const auto count = static_cast<std::int64_t>(processors.size());
  if (count <= most) {
    return processors;
  }
  std::vector<int> sample;
  for (std::int64_t n = 0; n < most; ++n) {
    sample.push_back(processors[static_cast<std::size_t>(n * (count - 1) / (most - 1))]);
  }
  return sample;
}

std::vector<CorePair> core_pairs(const std::vector<int>& processors) {
  std::vector<CorePair> pairs;
  for (std::size_t first = 0; first < processors.size(); ++first) {
    for (std::size_t second = first + 1; second < processors.size(); ++second) {
      pairs.push_back({processors[first], processors[second]});
    }
  }
  return pairs;
}

PingPong ping_pong(const CorePair& pair, int samples, int rounds, double most_seconds) {
  PingPong result;
  Ball ball;
  std::uint32_t asked = 0;
  std::uint32_t answered = 0;
  run_pinned({pair.first, pair.second}, [&](int thread) {
    if (thread == 1) {
      answered = answer_all(ball);
      return;
    }
    asked += ask(ball, asked, rounds, most_seconds, Stopwatch());  // warms both up
    for (int n = 0; n < samples; ++n) {
      const Stopwatch watch;
      const std::uint32_t done = ask(ball, asked, rounds, most_seconds, watch);
      result.seconds.push_back(watch.seconds() / (2.0 * done));
      asked += done;
    }
    ball.number.store(Ball::end, std::memory_order_release);
  });
  result.answered = asked == answered;
  return result;
}

void measure_core_pairs(const Problem& problem, const RunContext& context,
                        const Experiment& experiment, RunResult& result) {
  const std::vector<int> cores = processors_of_cores();
  const std::vector<int> sample = sample_evenly(cores, max_cores);
  if (sample.size() < 2) {
    result.notes.emplace_back("core to core: this process may use one core only");
    return;
  }
  if (sample.size() < cores.size()) {
    result.notes.push_back(
        fmt::format("core to core: {} of {} cores, evenly spaced", sample.size(), cores.size()));
  }
  PairMatrix latencies{.name = "core to core latency",
                       .first_name = "core",
                       .second_name = "other_core",
                       .model =
                           "a line on its way from one core's cache to the other's: half a "
                           "round trip",
                       .working_set_bytes = sizeof(Ball)};
  const std::vector<CorePair> pairs = core_pairs(sample);
  const double most_seconds = seconds_of_sample(problem, pairs.size());
  std::int64_t unanswered = 0;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    context.begin("core to core", static_cast<double>(n), static_cast<double>(pairs.size()));
    PingPong times = ping_pong(pairs[n], std::min(problem.repeats, max_samples),
                               problem.quick ? 5'000 : 20'000, most_seconds);
    unanswered += times.answered ? 0 : 1;
    latencies.pairs.push_back({pairs[n].first, pairs[n].second, std::move(times.seconds)});
  }
  publish_matrix(latencies, experiment, result);
  result.checks.push_back({.name = "core to core: pairs with rounds that were not answered",
                           .value = static_cast<double>(unanswered),
                           .source = "every question of one thread is answered once by the other"});
}

}  // namespace bankfull::probe
