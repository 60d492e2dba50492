#include "bankfull/core/measure/cache.hpp"
#include "bankfull/workloads/probe/bandwidth.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

namespace bankfull::probe {
namespace {

int samples(const Problem& problem) { return problem.quick ? 2 : is_bounded(problem) ? 3 : 5; }

/// The working set of these curves: the largest, or enough to be beyond the last cache.
std::int64_t working_set_of_curves(const Problem& problem) {
  const auto enough = static_cast<std::int64_t>(smallest_beyond(last_cache_bytes(problem.device)));
  return is_bounded(problem) && enough > 0 ? std::min(problem.working_set_to, enough)
                                           : problem.working_set_to;
}

/// Those of curves over something else than size: of many patterns the ones that differ most, in
/// the last precision and with streaming stores if there are any, unless the probe is full.
std::vector<StreamPattern> main_patterns(const Problem& problem) {
  constexpr std::size_t many = 8;
  std::vector<StreamPattern> all = patterns(problem);
  if (!is_bounded(problem) || all.size() <= many) {
    return all;
  }
  std::erase_if(all, [&](const StreamPattern& pattern) {
    using enum StreamOperation;
    const bool is_read = pattern.operation == read;
    const bool is_main =
        is_read || pattern.operation == copy || pattern.operation == triad ||
        (pattern.operation == mix && pattern.mix_reads == problem.mix_reads.back());
    const bool other_stores =
        !is_read && pattern.streaming_stores != (problem.stores != Stores::ordinary);
    return !is_main || other_stores || pattern.precision != problem.precisions.back();
  });
  return all.empty() ? patterns(problem) : all;
}

std::unique_ptr<Streams> streams_of(const Problem& problem, int threads) {
  return make_streams(problem.device, threads,
                      working_set_of_curves(problem) + padding_bytes(problem));
}

Series bandwidth_by(const std::string& x_name, const std::string& name) {
  return {.name = name, .x_name = x_name, .x_unit = {}, .y_name = "bandwidth", .y_unit = "B/s"};
}

/// Blocks that a launch of one 16-byte access per thread takes.
std::int64_t blocks_for(const StreamPattern& pattern, std::int64_t elements, int threads) {
  const std::int64_t vectors = elements * bytes_of(pattern.precision) / 16;
  return (vectors + threads - 1) / threads;
}

Series by_blocks(const Problem& problem, Streams& streams, const StreamPattern& pattern,
                 int threads) {
  Series series = bandwidth_by(
      "blocks", fmt::format("bandwidth by blocks of {}, {}", threads, to_string(pattern)));
  const std::int64_t elements = elements_of(pattern, problem.working_set_to, 1);
  for (const int blocks : problem.grid_blocks) {
    streams.use_grid({.blocks = blocks, .threads = threads, .through_l1 = false});
    series.points.emplace_back(blocks,
                               best_bandwidth(streams, pattern, elements, samples(problem)));
  }
  streams.use_grid({.blocks = 0, .threads = threads, .through_l1 = false});
  series.points.emplace_back(static_cast<double>(blocks_for(pattern, elements, threads)),
                             best_bandwidth(streams, pattern, elements, samples(problem)));
  std::sort(series.points.begin(), series.points.end());
  return series;
}

/// Copies by concurrent streams move the same bytes in either precision.
std::vector<StreamPattern> copies(Problem problem) {
  problem.operations = {StreamOperation::copy};
  if (is_bounded(problem)) {
    problem.precisions = {problem.precisions.back()};
  }
  return patterns(problem);
}

/// Points of curves for which there is time, judged by the slowest one so far; at least the first.
class TimedCurves {
 public:
  explicit TimedCurves(const TimeBudget& budget, int left_out = 0)
      : budget_(budget), left_out_(left_out) {}

  void add(double x, const std::function<double()>& measure, Series& series) {
    if (slowest_ > 0.0 && !budget_.allows(slowest_)) {
      ++left_out_;
      return;
    }
    const Stopwatch watch;
    series.points.emplace_back(x, measure());
    slowest_ = std::max(slowest_, watch.seconds());
  }

  [[nodiscard]] int left_out() const { return left_out_; }

 private:
  TimeBudget budget_;
  double slowest_ = 0.0;
  int left_out_;
};

/// Of the same work, relative to one thread's: a few of them draw what the memory gives.
double expected_time(int threads) {
  constexpr int enough = 8;
  return 1.0 / std::min(threads, enough);
}

/// Adds those that have points.
void append(std::vector<Series> series, RunResult& result) {
  std::copy_if(std::make_move_iterator(series.begin()), std::make_move_iterator(series.end()),
               std::back_inserter(result.series),
               [](const Series& one) { return !one.points.empty(); });
}

Series by_n_copy(const Problem& problem, Streams& streams, StreamPattern pattern,
                 TimedCurves& curves, std::int64_t& wrong) {
  Series series = bandwidth_by("n_copy", "bandwidth by concurrent streams, " + to_string(pattern));
  const std::int64_t elements =
      elements_of(pattern, working_set_of_curves(problem), problem.threads);
  for (const int n_copy : problem.n_copy) {
    pattern.n_copy = n_copy;
    wrong += streams.wrong_elements(pattern, std::min(elements, Streams::granularity * 4099));
    curves.add(
        n_copy, [&] { return best_bandwidth(streams, pattern, elements, samples(problem)); },
        series);
  }
  return series;
}

}  // namespace

void measure_team_sizes(const Problem& problem, const TimeBudget& budget, const RunContext& context,
                        RunResult& result) {
  const std::vector<StreamPattern> all = main_patterns(problem);
  std::vector<Series> series;
  series.reserve(all.size());
  for (const StreamPattern& pattern : all) {
    series.push_back(bandwidth_by("threads", "bandwidth by threads, " + to_string(pattern)));
  }
  int left_out = 0;
  double to_come = 0.0;
  for (const int threads : problem.team_sizes) {
    to_come += expected_time(threads);
  }
  const double all_teams = to_come;
  const std::int64_t working_set = working_set_of_curves(problem);
  for (const int threads : problem.team_sizes) {
    context.begin("bandwidth by threads", all_teams - to_come, all_teams);
    const auto streams = streams_of(problem, threads);
    TimedCurves curves(budget.share(expected_time(threads) / to_come), left_out);
    to_come -= expected_time(threads);
    for (std::size_t curve = 0; curve < all.size(); ++curve) {
      const std::int64_t elements = elements_of(all[curve], working_set, threads);
      curves.add(
          threads, [&] { return best_bandwidth(*streams, all[curve], elements, samples(problem)); },
          series[curve]);
    }
    left_out = curves.left_out();
  }
  append(std::move(series), result);
  if (all.size() < patterns(problem).size()) {
    note_left_out("bandwidth by threads of other patterns", result);
  }
  note_left_out(left_out, "bandwidth by threads", result);
}

void measure_grids(const Problem& problem, const RunContext& context, RunResult& result) {
  if (!problem.device.is_cuda()) {
    return;
  }
  const auto streams = streams_of(problem, 1);
  for (const StreamOperation operation :
       {StreamOperation::read, StreamOperation::copy, StreamOperation::triad}) {
    const StreamPattern pattern{.operation = operation, .precision = problem.precisions.back()};
    for (std::size_t n = 0; n < problem.grid_threads.size(); ++n) {
      context.begin("bandwidth by launch shape, " + to_string(operation), static_cast<double>(n),
                    static_cast<double>(problem.grid_threads.size()));
      result.series.push_back(by_blocks(problem, *streams, pattern, problem.grid_threads[n]));
    }
  }
}

void measure_n_copy(const Problem& problem, const TimeBudget& budget, const RunContext& context,
                    RunResult& result) {
  const auto streams = streams_of(problem, problem.threads);
  const std::vector<StreamPattern> all = copies(problem);
  TimedCurves curves(budget);
  std::vector<Series> series;
  std::int64_t wrong = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    context.begin("multi-stream copy", static_cast<double>(n), static_cast<double>(all.size()));
    series.push_back(by_n_copy(problem, *streams, all[n], curves, wrong));
  }
  append(std::move(series), result);
  if (is_bounded(problem) && problem.precisions.size() > 1) {
    note_left_out("concurrent streams in " + to_string(problem.precisions.front()), result);
  }
  note_left_out(curves.left_out(), "bandwidth by concurrent streams", result);
  result.checks.push_back({.name = "multi-stream copy: wrong elements",
                           .value = static_cast<double>(wrong),
                           .source = "arrays of small integers"});
}

}  // namespace bankfull::probe
