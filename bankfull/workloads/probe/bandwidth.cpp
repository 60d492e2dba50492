#include "bankfull/workloads/probe/bandwidth.hpp"

#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/workloads/probe/plateaus.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"
#include "bankfull/workloads/probe/timed_pass.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr double shortest_sample = 0.25e-3;  // seconds
constexpr int max_passes = 1 << 20;

/// Launch shapes tried on a GPU by default; one for the CPU.
std::vector<StreamGrid> candidate_grids(Device device) {
  if (!device.is_cuda()) {
    return {StreamGrid{}};
  }
  const int units = survey_gpus().gpus.at(static_cast<std::size_t>(device.index)).multiprocessors;
  return {{.blocks = 0, .threads = 256, .through_l1 = false},
          {.blocks = 0, .threads = 1024, .through_l1 = false},
          {.blocks = 8 * units, .threads = 256, .through_l1 = false},
          {.blocks = 8 * units, .threads = 256, .through_l1 = true},
          {.blocks = 32 * units, .threads = 256, .through_l1 = false}};
}

// For a probe of a CPU that is not full.
constexpr PartSeconds whole_part{.quick = 3.5, .usual = 26.0};
constexpr double share_of_curves = 0.5;                         ///< of these
constexpr double share_of_largest = 0.4;                        ///< of the rest
constexpr double share_of_threads = 0.6;                        ///< of what is left then
constexpr PartSeconds one_ceiling{.quick = 0.3, .usual = 2.0};  ///< that is measured again

/// Samples of a point of a curve, of which the best counts. A pass of milliseconds is itself a mean
/// of many.
int samples_of_point(const Problem& problem, double seconds_of_pass) {
  constexpr double long_pass = 5e-3;
  const bool few = problem.quick || (is_bounded(problem) && seconds_of_pass > long_pass);
  return few ? 3 : 5;
}

/// Curves in either precision move the same bytes, so that one of them is enough.
bool has_curve(const Problem& problem, const StreamPattern& pattern) {
  return !is_bounded(problem) || pattern.precision == problem.precisions.back();
}

/// Bandwidth by working set of one pattern, at sizes for which there is time.
Series sweep(const Problem& problem, Streams& streams, const StreamPattern& pattern,
             const TimeBudget& budget, int& left_out) {
  Series series{.name = "bandwidth, " + to_string(pattern),
                .x_name = "working_set",
                .x_unit = "B",
                .y_name = "bandwidth",
                .y_unit = "B/s"};
  double best = std::numeric_limits<double>::infinity();
  const std::vector<std::int64_t> sizes =
      log_spaced(problem.working_set_from, problem.working_set_to, problem.points_per_octave,
                 Streams::granularity);
  PointsInTime points(budget, {sizes.begin(), sizes.end()});
  for (const std::int64_t size : sizes) {
    const std::int64_t elements = elements_of(pattern, size, problem.threads);
    const double bytes = pattern.traffic(elements).bytes();
    const int repeats = samples_of_point(problem, bytes / best);
    const double seconds_per_byte = (repeats + 1) / best;  // they are warmed up
    if (!points.takes_next(seconds_per_byte)) {
      continue;
    }
    const bool in_time = budget.allows(bytes * seconds_per_byte);
    best =
        fastest_grid(problem.device, streams, pattern, elements, in_time ? repeats : 1).bandwidth;
    if (series.points.empty() || series.points.back().first < bytes) {
      series.points.emplace_back(bytes, best);
    }
  }
  left_out += points.left_out();
  return series;
}

Work work_of(const Traffic& traffic, Precision precision) {
  return {.traffic = traffic,
          .model = "every array once a pass; lines read before ordinary stores not counted",
          .working_set_bytes = traffic.bytes(),
          .precision = precision};
}

std::vector<Figure> parameters(Device device, const StreamPattern& pattern, const Traffic& traffic,
                               const StreamGrid& grid) {
  std::vector<Figure> figures{
      {"operation", to_string(pattern.operation)},    {"reads", std::int64_t{pattern.reads()}},
      {"writes", std::int64_t{pattern.writes()}},     {"precision", to_string(pattern.precision)},
      {"streaming_stores", pattern.streaming_stores}, {"working_set", traffic.bytes(), "B"}};
  if (device.is_cuda()) {
    figures.push_back({"blocks", std::int64_t{grid.blocks}});  // 0: as many as the data needs
    figures.push_back({"threads_per_block", std::int64_t{grid.threads}});
  }
  return figures;
}

/// One pass over the largest working set.
TimedPass pass_of(const Problem& problem, Streams& streams, const StreamPattern& pattern) {
  const std::int64_t elements = elements_of(pattern, problem.working_set_to, problem.threads);
  const StreamGrid grid = problem.device.is_cuda()
                              ? fastest_grid(problem.device, streams, pattern, elements, 3).grid
                              : StreamGrid{};
  const Traffic traffic = pattern.traffic(elements);
  return {.name = to_string(pattern),
          .work = work_of(traffic, pattern.precision),
          .parameters = parameters(problem.device, pattern, traffic, grid),
          .seconds = [&streams, pattern, elements, grid] {
            streams.use_grid(grid);
            return streams.seconds(pattern, elements, 1);
          }};
}

/// As many repeats as the problem has, or those of at least two for which there is time: `curves`
/// end with what the passes sustain; patterns without points are like the others.
int repeats_within(const TimeBudget& budget, const Problem& problem,
                   const std::vector<Series>& curves) {
  double seconds = 0.0;
  double measured = 0.0;
  for (const Series& curve : curves) {
    if (!curve.points.empty()) {
      seconds += curve.points.back().first / curve.points.back().second;
      ++measured;
    }
  }
  const double seconds_of_all = seconds * static_cast<double>(curves.size()) / measured;
  const double affordable = budget.left() / seconds_of_all - 1.0;  // they are warmed up
  return affordable < problem.repeats
             ? std::min(problem.repeats, std::max(2, static_cast<int>(affordable)))
             : problem.repeats;
}

/// Alternates between all patterns, so that a disturbance of the machine affects them alike.
std::vector<Measurement> measure_largest(const Problem& problem, Streams& streams,
                                         Experiment& experiment, int repeats) {
  std::vector<TimedPass> passes;
  for (const StreamPattern& pattern : patterns(problem)) {
    passes.push_back(pass_of(problem, streams, pattern));
  }
  return measure_in_turn(experiment, passes, repeats);
}

/// A ceiling twice in a row: how reliable a percentage of bankfull is.
Measurement repeat_ceiling(const Plan& plan, const Experiment& experiment) {
  const Problem& problem = plan.problem;
  const Mix mix{.reads = problem.mix_reads.back(), .writes = 1};
  const Precision precision = problem.precisions.front();
  CeilingBudget budget{.bytes = plan.ceiling_bytes};
  budget.seconds = std::min(budget.seconds, budget_of(problem, one_ceiling).left());
  const auto measure = [&] {
    return measure_ceiling(problem.device, problem.threads, mix, precision, budget);
  };
  const Ceiling first = measure();
  const Ceiling again = measure();
  const double written = again.working_set_bytes / (mix.reads + mix.writes);
  Measurement m = experiment.measurement(
      fmt::format("ceiling again, {}, {}", to_string(mix), to_string(precision)),
      again.seconds.samples,
      work_of({.bytes_read = mix.reads * written, .bytes_written = written}, precision));
  m.parameters = {{"operation", "ceiling_again"},
                  {"reads", std::int64_t{mix.reads}},
                  {"precision", to_string(precision)},
                  {"working_set", again.working_set_bytes, "B"}};
  m.figures = {
      {"first", first.bytes_per_second, "B/s"},
      {"second", again.bytes_per_second, "B/s"},
      {"difference", 100.0 * std::abs(again.bytes_per_second / first.bytes_per_second - 1.0), "%"}};
  return m;
}

void check_contents(const Problem& problem, Streams& streams, RunResult& result) {
  for (const StreamPattern& pattern : patterns(problem)) {
    // An odd number of blocks, so that threads have unequal parts.
    const std::int64_t elements = std::min(
        Streams::granularity * 4099, elements_of(pattern, problem.working_set_to, problem.threads));
    std::int64_t wrong = 0;
    for (const StreamGrid& grid : candidate_grids(problem.device)) {
      streams.use_grid(grid);
      wrong += streams.wrong_elements(pattern, elements);
    }
    result.checks.push_back({.name = to_string(pattern) + ": wrong elements",
                             .value = static_cast<double>(wrong),
                             .source = "arrays of small integers, summed exactly"});
  }
}

/// By working set, and at the largest.
void measure_patterns(const Problem& problem, const TimeBudget& budget, const RunContext& context,
                      Experiment& experiment, RunResult& result) {
  const std::vector<StreamPattern> all = patterns(problem);
  const auto streams = make_streams(problem.device, problem.threads,
                                    problem.working_set_to + padding_bytes(problem));
  check_contents(problem, *streams, result);
  const TimeBudget for_curves = budget.share(share_of_curves);
  std::vector<Series> curves(all.size());
  const auto count = static_cast<double>(std::ranges::count_if(
      all, [&](const StreamPattern& pattern) { return has_curve(problem, pattern); }));
  double done = 0.0;
  int left_out = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (has_curve(problem, all[n])) {
      context.begin("bandwidth by working set", done, count);
      curves[n] =
          sweep(problem, *streams, all[n], for_curves.share(1.0 / (count - done)), left_out);
      ++done;
    }
  }
  if (curves.size() > static_cast<std::size_t>(count)) {
    note_left_out("bandwidth by working set in " + to_string(problem.precisions.front()), result);
  }
  note_left_out(left_out, "bandwidth by working set", result);
  const int repeats = repeats_within(budget.share(share_of_largest), problem, curves);
  if (repeats < problem.repeats) {
    note_left_out(fmt::format("{} of {} repeats at the largest working set",
                              problem.repeats - repeats, problem.repeats),
                  result);
  }
  std::vector<Measurement> measured = measure_largest(problem, *streams, experiment, repeats);
  const std::vector<CacheLevel> caches = caches_of_all(problem.device, problem.threads);
  const auto described = [&](const Plateau& plateau) {
    return std::pair(level_name(caches, plateau.to), format_si(plateau.value, "B/s"));
  };
  for (std::size_t n = 0; n < measured.size(); ++n) {
    add_plateaus(curves[n], described, measured[n]);
    result.measurements.push_back(std::move(measured[n]));
    if (!curves[n].points.empty()) {
      result.series.push_back(std::move(curves[n]));
    }
  }
}

}  // namespace

FastestGrid fastest_grid(Device device, Streams& streams, const StreamPattern& pattern,
                         std::int64_t elements, int repeats) {
  FastestGrid best;
  for (const StreamGrid& grid : candidate_grids(device)) {
    streams.use_grid(grid);
    const double bandwidth = best_bandwidth(streams, pattern, elements, repeats);
    if (bandwidth > best.bandwidth) {
      best = {grid, bandwidth};
    }
  }
  return best;
}

std::int64_t elements_of(const StreamPattern& pattern, std::int64_t working_set, int threads) {
  const std::int64_t each = working_set / pattern.arrays() / bytes_of(pattern.precision);
  const std::int64_t least = Streams::granularity * threads;
  return std::max(each / Streams::granularity * Streams::granularity, least);
}

double best_bandwidth(Streams& streams, const StreamPattern& pattern, std::int64_t elements,
                      int repeats) {
  const double bytes = pattern.traffic(elements).bytes();
  streams.seconds(pattern, elements, 1);
  int passes = 1;
  double best = 0.0;
  // A sample is too short also when only an earlier, disturbed one was long enough.
  for (int accepted = 0; accepted < repeats;) {
    const double seconds = streams.seconds(pattern, elements, passes);
    if (seconds < shortest_sample && passes < max_passes) {
      passes *= 4;
      accepted = 0;
    } else {
      best = std::max(best, passes * bytes / seconds);
      ++accepted;
    }
  }
  return best;
}

void measure_bandwidth(const Plan& plan, const RunContext& context, Experiment& experiment,
                       RunResult& result) {
  const Problem& problem = plan.problem;
  const TimeBudget budget = budget_of(problem, whole_part);
  measure_patterns(problem, budget, context, experiment, result);
  result.measurements.push_back(repeat_ceiling(plan, experiment));
  measure_team_sizes(problem, budget.share(share_of_threads), context, result);
  measure_grids(problem, context, result);
  measure_n_copy(problem, budget, context, result);
  measure_copies(problem, context, experiment, result);
}

}  // namespace bankfull::probe
