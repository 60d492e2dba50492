#include "bankfull/workloads/probe/latency.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/workloads/probe/plateaus.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr std::uint64_t seed = 2008;

/// One footprint of a walk. Times are seconds per load.
struct Point {
  ChainLayout layout;
  Statistics seconds;

  /// Bytes of cache that the chain occupies: its lines, wherever they lie.
  [[nodiscard]] std::int64_t line_footprint() const { return layout.nodes * layout.line_bytes; }
};

/// Chains laid so far and chains that a walk found broken.
struct Verdict {
  int walked = 0;
  int broken = 0;
};

/// Longer chains are not walked as a whole: it would take seconds, and they fit no cache that a
/// walk could warm.
std::int64_t longest_walk(Device device) { return std::int64_t{1} << (device.is_cuda() ? 19 : 22); }

std::int64_t loads_per_sample(const Problem& problem, const ChainLayout& layout) {
  const bool fast = cache_fit(static_cast<double>(layout.nodes * layout.line_bytes),
                              last_cache_bytes(problem.device)) == CacheFit::inside;
  const int exponent = problem.device.is_cuda() ? 14 : fast ? 17 : 15;
  return std::int64_t{1} << (problem.quick ? exponent - 1 : exponent);
}

std::vector<std::int64_t> footprints(const Problem& problem, std::int64_t stride) {
  const std::int64_t from = std::max(problem.footprint_from, 4 * stride);
  return log_spaced(std::min(from, problem.footprint_to), problem.footprint_to,
                    problem.points_per_octave, stride);
}

void warm_up(const Problem& problem, PointerChase& chase, const ChainLayout& layout,
             Verdict& verdict) {
  if (layout.nodes > longest_walk(problem.device)) {
    chase.seconds(std::int64_t{1} << 13);
    return;
  }
  ++verdict.walked;
  verdict.broken += chase.cycle_length(layout.nodes) == layout.nodes ? 0 : 1;
}

Point measure_point(const Problem& problem, PointerChase& chase, const ChainLayout& layout,
                    Verdict& verdict) {
  chase.build(layout, random_cycle(layout.nodes, seed));
  warm_up(problem, chase, layout, verdict);
  const std::int64_t loads = loads_per_sample(problem, layout);
  std::vector<double> samples;
  for (int repeat = 0; repeat < std::min(problem.repeats, 5); ++repeat) {
    samples.push_back(chase.seconds(loads) / static_cast<double>(loads));
  }
  return {.layout = layout, .seconds = summarise(std::move(samples))};
}

/// Name of what serves a plateau: the cache that holds the lines, and address translation where
/// the same cache has a faster plateau.
std::string serving(const std::vector<CacheLevel>& caches, const Plateau& plateau, const Walk& walk,
                    std::int64_t line, std::int64_t max_lines, std::string& previous) {
  const double nodes =
      std::min(plateau.to / static_cast<double>(walk.stride), static_cast<double>(max_lines));
  const std::string level = level_name(caches, nodes * static_cast<double>(line));
  const bool again = level == previous;
  previous = level;
  return again ? level + " and address translation" : level;
}

void add_plateaus(const Problem& problem, const Walk& walk, const Series& series,
                  Measurement& measurement) {
  const std::vector<CacheLevel> caches = caches_of_one_thread(problem.device);
  std::string previous;
  std::vector<std::string> sentences;
  for (const Plateau& plateau : find_plateaus(series.points)) {
    const std::string name = serving(caches, plateau, walk, line_bytes(problem.device),
                                     max_nodes(problem.device), previous);
    const std::string key = fmt::format("plateau_{}", plateau.level);
    measurement.figures.push_back({key, name});
    measurement.figures.push_back({key + "_from", plateau.from, "B"});
    measurement.figures.push_back({key + "_to", plateau.to, "B"});
    measurement.figures.push_back({key + "_latency", plateau.value, "ns"});
    sentences.push_back(fmt::format("{} up to {} ({:.0f} nodes) {:.3g} ns", name,
                                    format_bytes(plateau.to),
                                    plateau.to / static_cast<double>(walk.stride), plateau.value));
  }
  if (!sentences.empty()) {
    measurement.notes.push_back(
        fmt::format("{}: {}", measurement.name, fmt::join(sentences, ", ")));
  }
}

std::vector<Figure> parameters(const Problem& problem, const Walk& walk,
                               const PointerChase& chase) {
  std::vector<Figure> figures{{"operation", "latency"},
                              {"stride", walk.stride, "B"},
                              {"line", line_bytes(problem.device), "B"}};
  if (!problem.device.is_cuda()) {
    figures.push_back({"pages", to_string(walk.pages)});
    figures.push_back({"share_in_huge_pages", chase.share_in_huge_pages()});
  }
  return figures;
}

void note_refused_pages(const Walk& walk, const PointerChase& chase, Measurement& measurement) {
  if (walk.pages == HostPages::huge && chase.share_in_huge_pages() < 0.5) {
    measurement.notes.push_back(measurement.name +
                                ": the system granted few huge pages, so these are small pages");
  }
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
  add_plateaus(problem, walk, series, measurement);
  if (!problem.device.is_cuda()) {
    note_refused_pages(walk, chase, measurement);
  }
  result.measurements.push_back(std::move(measurement));
  result.series.push_back(std::move(series));
}

}  // namespace

std::unique_ptr<PointerChase> make_chase(Device device, std::int64_t bytes, HostPages pages) {
  if (!device.is_cuda()) {
    return detail::make_cpu_chase(bytes, pages);
  }
  if constexpr (build::cuda) {
    return detail::make_cuda_chase(device, bytes);
  }
  throw RuntimeFailure("this program has no CUDA backend");
}

void measure_latency(const Problem& problem, Progress& progress, const Experiment& experiment,
                     RunResult& result) {
  const std::vector<Walk> all = walks(problem);
  const std::int64_t line = line_bytes(problem.device);
  Verdict verdict;
  std::unique_ptr<PointerChase> chase;
  HostPages pages = HostPages::huge;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Walk& walk = all[n];
    if (!chase || walk.pages != pages) {
      chase.reset();  // the old memory goes before the new one comes
      chase = make_chase(problem.device, problem.footprint_to, walk.pages);
      pages = walk.pages;
    }
    const std::vector<std::int64_t> sizes = footprints(problem, walk.stride);
    std::vector<Point> points;
    for (std::size_t size = 0; size < sizes.size(); ++size) {
      progress.update("latency, " + name_of(walk, problem.device),
                      static_cast<double>(n * sizes.size() + size),
                      static_cast<double>(all.size() * sizes.size()));
      points.push_back(measure_point(
          problem, *chase, make_layout(sizes[size], walk.stride, line, max_nodes(problem.device)),
          verdict));
    }
    publish(problem, walk, *chase, points, experiment, result);
  }
  result.checks.push_back(
      {.name = fmt::format("latency: broken ones of {} chains walked to the end", verdict.walked),
       .value = static_cast<double>(verdict.broken),
       .source = "a walk must be back at its start after one load per node, not earlier or later"});
}

}  // namespace bankfull::probe
