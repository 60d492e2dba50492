#include "bankfull/workloads/probe/latency.hpp"

#include "bankfull/core/base/format.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/workloads/probe/plateaus.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr std::uint64_t seed = 2008;
constexpr PartSeconds latency_seconds{.quick = 2.2, .usual = 16.0};
constexpr int most_samples_of_point = 5;

/// One footprint of a walk. Times are seconds per load.
struct Point {
  ChainLayout layout;
  Statistics seconds;

  /// Bytes of cache that the chain occupies: its lines, wherever they lie.
  [[nodiscard]] std::int64_t line_footprint() const { return layout.nodes * layout.line_bytes; }
};

/// Chains built so far and chains that a walk found broken.
struct Verdict {
  int walked = 0;
  int broken = 0;
  int left_out = 0;  ///< for lack of time
};

/// Longer chains are not walked as a whole: they fit no cache that a walk could warm, and at some
/// hundred nanoseconds a node it would take seconds.
std::int64_t longest_walk(const Problem& problem) {
  const std::int64_t most = std::int64_t{1}
                            << (problem.device.is_cuda() || problem.quick ? 19 : 22);
  const std::int64_t lines = last_cache_bytes(problem.device) / line_bytes(problem.device);
  return std::clamp(2 * lines, std::int64_t{1} << 16, most);
}

/// Many milliseconds where the loads miss the caches; a few where something makes them fast.
std::int64_t loads_per_sample(const Problem& problem, const Walk& walk, const ChainLayout& layout) {
  if (walk.order != ChainOrder::random) {  // prefetchers do
    return std::int64_t{1} << (problem.quick ? 18 : 19);
  }
  const bool fast = cache_fit(static_cast<double>(layout.nodes * layout.line_bytes),
                              last_cache_bytes(problem.device)) == CacheFit::inside;
  const int exponent = problem.device.is_cuda() ? 14 : fast ? 17 : 15;
  return std::int64_t{1} << (problem.quick ? exponent - 1 : exponent);
}

std::vector<std::int64_t> footprints(const Problem& problem, const Walk& walk) {
  constexpr std::int64_t from_in_host_memory = std::int64_t{1} << 20;  // no cache of a GPU holds it
  const std::int64_t from = std::max(walk.in_host_memory ? from_in_host_memory : 0,
                                     std::max(problem.footprint_from, 4 * walk.stride));
  const std::int64_t to = footprint_to(problem, walk);
  return log_spaced(std::min(from, to), to, problem.points_per_octave, walk.stride);
}

void warm_up(const Problem& problem, PointerChase& chase, const ChainLayout& layout,
             Verdict& verdict) {
  if (layout.nodes > longest_walk(problem)) {
    chase.seconds(std::int64_t{1} << 13);
    return;
  }
  ++verdict.walked;
  verdict.broken += chase.cycle_length(layout.nodes) == layout.nodes ? 0 : 1;
}

Point measure_point(const Problem& problem, const Walk& walk, PointerChase& chase,
                    const ChainLayout& layout, Verdict& verdict) {
  chase.build(layout, cycle_in(walk.order, layout.nodes, seed));
  warm_up(problem, chase, layout, verdict);
  const std::int64_t loads = loads_per_sample(problem, walk, layout);
  std::vector<double> samples;
  for (int repeat = 0; repeat < std::min(problem.repeats, most_samples_of_point); ++repeat) {
    samples.push_back(chase.seconds(loads) / static_cast<double>(loads));
  }
  return {.layout = layout, .seconds = summarise(std::move(samples))};
}

/// The levels that serve the plateaus of a walk, the smallest first: the cache that holds the
/// lines, and address translation where the same cache has a faster plateau.
void add_named_plateaus(const Problem& problem, const Walk& walk, const Series& series,
                        Measurement& measurement) {
  const std::vector<CacheLevel> caches = caches_of_one_thread(problem.device);
  const auto line = static_cast<double>(line_bytes(problem.device));
  const auto most = static_cast<double>(max_nodes(problem.device));
  std::string previous;
  const auto described = [&](const Plateau& plateau) {
    const double nodes = plateau.to / static_cast<double>(walk.stride);
    const std::string level = level_name(caches, std::min(nodes, most) * line);
    const bool again = level == std::exchange(previous, level);
    return std::pair(again ? level + " and address translation" : level,
                     fmt::format("({:.0f} nodes) {:.3g} ns", nodes, plateau.value));
  };
  add_plateaus(series, described, measurement);
}

std::vector<Figure> parameters(const Problem& problem, const Walk& walk,
                               const PointerChase& chase) {
  std::vector<Figure> figures{{"operation", "latency"},
                              {"stride", walk.stride, "B"},
                              {"line", line_bytes(problem.device), "B"}};
  if (walk.order != ChainOrder::random) {
    figures.push_back({"order", chain_order_names.to_string(walk.order)});
  }
  if (walk.in_host_memory) {
    figures.push_back({"memory", "pinned host memory"});
  }
  if (!problem.device.is_cuda()) {
    figures.push_back({"pages", to_string(walk.pages)});
    figures.push_back({"share_in_huge_pages", chase.share_in_huge_pages()});
  }
  return figures;
}

void publish(const Problem& problem, const Walk& walk, const PointerChase& chase,
             const std::vector<Point>& points, const Experiment& experiment, RunResult& result) {
  const std::string name = "latency, " + name_of(walk, problem.device);
  Series series{.name = name,
                .x_name = "footprint",
                .x_unit = "B",
                .y_name = "latency",
                .y_unit = "ns",
                .parameters = parameters(problem, walk, chase)};
  for (const Point& point : points) {
    series.points.emplace_back(static_cast<double>(point.layout.footprint()),
                               point.seconds.min * 1e9);
  }
  const Point& last = points.back();
  Measurement measurement = experiment.measurement(
      name, last.seconds.samples,
      {.traffic = {.bytes_read = static_cast<double>(last.layout.line_bytes)},
       .model = "one load of the largest footprint moves one line",
       .working_set_bytes = static_cast<double>(last.line_footprint()),
       .is_bound_by_memory = false});
  measurement.parameters = series.parameters;
  measurement.parameters.push_back({"footprint", last.layout.footprint(), "B"});
  if (!walk.in_host_memory) {  // no cache that the GPU declares serves it
    add_named_plateaus(problem, walk, series, measurement);
  }
  const bool refused = walk.pages == HostPages::huge && chase.share_in_huge_pages() < 0.5;
  if (!problem.device.is_cuda() && refused) {
    measurement.notes.push_back(name +
                                ": the system granted few huge pages, so these are small pages");
  }
  result.measurements.push_back(std::move(measurement));
  result.series.push_back(std::move(series));
}

std::vector<ChainLayout> layouts_of(const Problem& problem, const Walk& walk) {
  std::vector<ChainLayout> layouts;
  for (const std::int64_t size : footprints(problem, walk)) {
    layouts.push_back(
        make_layout(size, walk.stride, line_bytes(problem.device), max_nodes(problem.device)));
  }
  return layouts;
}

/// What each point of a walk takes, in the time of a load that misses the caches, which is about
/// that of placing a node: to build the chain, to walk it, and the samples.
std::vector<double> expected_times(const Problem& problem, const Walk& walk,
                                   const std::vector<ChainLayout>& layouts) {
  std::vector<double> times;
  for (const ChainLayout& layout : layouts) {
    const std::int64_t walked = layout.nodes > longest_walk(problem) ? 0 : layout.nodes;
    const std::int64_t samples = most_samples_of_point * loads_per_sample(problem, walk, layout);
    times.push_back(static_cast<double>(layout.nodes + walked + samples));
  }
  return times;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The points of a walk for which there is time. `progress` is told the expected time of those that
/// are done or left out.
std::vector<Point> measure_points(const Problem& problem, const Walk& walk, PointerChase& chase,
                                  const std::vector<ChainLayout>& layouts,
                                  const std::function<void(double)>& progress,
                                  const TimeBudget& budget, Verdict& verdict) {
  const std::vector<double> expected = expected_times(problem, walk, layouts);
  PointsInTime choice(budget, expected);
  std::vector<Point> points;
  double seconds_per_unit = 0.0;
  double done = 0.0;
  for (std::size_t n = 0; n < layouts.size(); ++n) {
    progress(done);
    done += expected[n];
    if (!choice.takes_next(seconds_per_unit)) {
      continue;
    }
    const Stopwatch watch;
    points.push_back(measure_point(problem, walk, chase, layouts[n], verdict));
    seconds_per_unit = watch.seconds() / expected[n];
  }
  verdict.left_out += choice.left_out();
  return points;
}

bool needs_other_memory(const Walk& walk, const Walk& previous) {
  return walk.pages != previous.pages || walk.in_host_memory != previous.in_host_memory;
}

}  // namespace

void measure_walks(const Problem& problem, const std::vector<Walk>& all, const std::string& part,
                   const TimeBudget& budget, const RunContext& context,
                   const Experiment& experiment, RunResult& result) {
  Verdict verdict;
  std::vector<std::vector<ChainLayout>> layouts;
  std::vector<double> expected;
  for (const Walk& walk : all) {
    layouts.push_back(layouts_of(problem, walk));
    expected.push_back(sum(expected_times(problem, walk, layouts.back())));
  }
  const double whole = budget.left();
  const double of_all = sum(expected);
  double to_come = of_all;
  std::unique_ptr<PointerChase> chase;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Walk& walk = all[n];
    if (!chase || needs_other_memory(walk, all[n - 1])) {
      chase.reset();  // the old memory is released before the new one is allocated
      chase = walk.in_host_memory
                  ? make_remote_chase(problem.device, Device::cpu(), footprint_to(problem, walk))
                  : make_chase(problem.device, problem.footprint_to, walk.pages);
    }
    const auto progress = [&](double done) {
      context.begin("latency, " + name_of(walk, problem.device), of_all - to_come + done, of_all);
    };
    // Half of what it had at first, even where those before took longer than expected.
    const TimeBudget its_share(
        std::max(budget.share(expected[n] / to_come).left(), 0.5 * whole * expected[n] / of_all));
    publish(problem, walk, *chase,
            measure_points(problem, walk, *chase, layouts[n], progress, its_share, verdict),
            experiment, result);
    to_come -= expected[n];
  }
  note_left_out(verdict.left_out, part, result);
  result.checks.push_back(
      {.name = fmt::format("{}: broken ones of {} chains walked to the end", part, verdict.walked),
       .value = static_cast<double>(verdict.broken),
       .source = "a walk must be back at its start after one load per node, not earlier or later"});
}

void measure_latency(const Problem& problem, const RunContext& context,
                     const Experiment& experiment, RunResult& result) {
  measure_walks(problem, walks(problem), "latency", budget_of(problem, latency_seconds), context,
                experiment, result);
}

}  // namespace bankfull::probe
