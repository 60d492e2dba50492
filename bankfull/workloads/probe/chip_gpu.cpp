#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/workloads/probe/chip.hpp"
#include "bankfull/workloads/probe/in_flight.hpp"
#include "bankfull/workloads/probe/l2_halves.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/launches.hpp"
#include "bankfull/workloads/probe/on_chip.hpp"
#include "bankfull/workloads/probe/timed_pass.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::probe {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

const GpuInfo& gpu_of(const Problem& problem) {
  return survey_gpus().gpus.at(static_cast<std::size_t>(problem.device.index));
}

/// `memory_bytes` are read again and again.
Work work_on_chip(double bytes, double memory_bytes, const std::string& model) {
  return {.traffic = {.bytes_read = bytes},
          .model = model,
          .working_set_bytes = memory_bytes,
          .is_bound_by_memory = false};
}

Check check_of(const std::string& name, std::int64_t wrong, const std::string& source) {
  return {.name = name, .value = static_cast<double>(wrong), .source = source};
}

/// Reads inside the chip as a pass that is repeated, with what all repeats yield.
class ChipReads {
 public:
  ChipReads(std::string name, std::function<ChipRead()> read)
      : name_(std::move(name)), read_(std::move(read)), last_(read_()) {}

  [[nodiscard]] TimedPass pass() {
    return {.name = name_,
            .work = work_on_chip(last_.bytes, last_.memory_bytes,
                                 "all that the threads read, inside the chip"),
            .parameters = {{"operation", name_}},
            .seconds = [this] {
              last_ = read_();
              wrong_ += last_.wrong_sums;
              return last_.seconds;
            }};
  }

  void add_figures(Measurement& m) const {
    m.figures.push_back({"per_clock_and_multiprocessor", last_.bytes_per_clock, "B"});
  }

  [[nodiscard]] Check check() const {
    return check_of(name_ + ": wrong sums", wrong_, "sums of small integers, exact");
  }

 private:
  std::string name_;
  std::function<ChipRead()> read_;
  ChipRead last_;
  std::int64_t wrong_ = 0;
};

void measure_reads(const Problem& problem, Experiment& experiment, std::vector<ChipReads>& reads,
                   RunResult& result) {
  std::vector<TimedPass> passes;
  passes.reserve(reads.size());
  for (ChipReads& one : reads) {
    passes.push_back(one.pass());
  }
  std::vector<Measurement> measured = measure_in_turn(experiment, passes, problem.repeats);
  for (std::size_t n = 0; n < measured.size(); ++n) {
    reads[n].add_figures(measured[n]);
    result.checks.push_back(reads[n].check());
    result.measurements.push_back(std::move(measured[n]));
  }
}

constexpr std::array cluster_sizes{1, 2, 4, 8, 16};

/// The sizes that fit this GPU; a note names those that do not.
std::vector<int> possible_clusters(ChipMemory& memory, RunResult& result) {
  std::vector<int> possible;
  std::vector<int> impossible;
  for (const int blocks : cluster_sizes) {
    (memory.clusters_of(blocks) > 0 ? possible : impossible).push_back(blocks);
  }
  if (possible.empty()) {
    result.notes.emplace_back(
        "no clusters: shared memory of other blocks needs a GPU of compute capability 9.0 or "
        "newer, and code for it");
  } else if (!impossible.empty()) {
    result.notes.push_back(
        fmt::format("clusters of {} blocks do not fit this GPU", fmt::join(impossible, ", ")));
  }
  return possible;
}

std::string cluster_name(int blocks) {
  return blocks == 1 ? "own shared memory as a cluster of 1"
                     : fmt::format("shared memory of the next of {} blocks", blocks);
}

void measure_cluster_rates(const Problem& problem, Experiment& experiment, ChipMemory& memory,
                           const std::vector<int>& sizes, RunResult& result) {
  std::vector<ChipReads> reads;
  reads.reserve(sizes.size());  // passes refer to them
  for (const int blocks : sizes) {
    reads.emplace_back(cluster_name(blocks),
                       [&memory, blocks] { return memory.read_next_block(blocks); });
  }
  const std::size_t first = result.measurements.size();
  measure_reads(problem, experiment, reads, result);
  Series rates{.name = "shared memory of other blocks, bandwidth by blocks of the cluster",
               .x_name = "cluster_blocks",
               .x_unit = {},
               .y_name = "bandwidth",
               .y_unit = "B/s"};
  for (std::size_t n = first; n < result.measurements.size(); ++n) {
    Measurement& m = result.measurements[n];
    const int blocks = sizes[n - first];
    m.parameters.push_back({"cluster_blocks", std::int64_t{blocks}});
    m.parameters.push_back({"clusters", std::int64_t{memory.clusters_of(blocks)}});
    rates.points.emplace_back(blocks, m.bytes_per_second().value_or(0.0));
  }
  result.series.push_back(std::move(rates));
}

/// A walk, repeated: its measurement, whose samples are seconds per load.
Measurement measure_walk(const Problem& problem, const Experiment& experiment, ChipMemory& memory,
                         const std::string& name, ChainPlace place, int blocks,
                         std::int64_t& lost) {
  std::vector<double> samples;
  double clocks = 0.0;
  memory.walk(place, blocks);
  for (int n = 0; n < std::min(problem.repeats, 10); ++n) {
    const ChipWalk walk = memory.walk(place, blocks);
    samples.push_back(walk.seconds);
    clocks = n == 0 ? walk.clocks : std::min(clocks, walk.clocks);
    lost += walk.arrived ? 0 : 1;
  }
  Measurement m = experiment.measurement(
      name, samples, work_on_chip(4.0, 16384.0, "one load of a chain in shared memory, 4 bytes"));
  m.parameters = {{"operation", name}, {"cluster_blocks", std::int64_t{blocks}}};
  m.figures = {{"latency", m.seconds.median, "s"}, {"latency_in_clocks", clocks}};
  return m;
}

void measure_cluster_latencies(const Problem& problem, const Experiment& experiment,
                               ChipMemory& memory, const std::vector<int>& sizes,
                               RunResult& result) {
  std::int64_t lost = 0;
  result.measurements.push_back(measure_walk(
      problem, experiment, memory, "latency of own shared memory", ChainPlace::own, 1, lost));
  Series series{.name = "shared memory of other blocks, latency by blocks of the cluster",
                .x_name = "cluster_blocks",
                .x_unit = {},
                .y_name = "latency",
                .y_unit = "ns"};
  for (const int blocks : sizes) {
    const bool alone = blocks == 1;
    Measurement m = measure_walk(
        problem, experiment, memory,
        alone ? "latency of own shared memory as a cluster of 1"
              : fmt::format("latency of shared memory of the last of {} blocks", blocks),
        alone ? ChainPlace::own_in_cluster : ChainPlace::other_block, blocks, lost);
    series.points.emplace_back(blocks, m.seconds.median * 1e9);
    result.measurements.push_back(std::move(m));
  }
  result.series.push_back(std::move(series));
  result.checks.push_back(check_of("chains in shared memory: walks that ended elsewhere", lost,
                                   "the chain's own formula, followed on the host"));
}

/// Passes over the lines of one choice, and what they yield.
struct LineRun {
  std::string name;
  LinePass pass = LinePass::read;
  LineLists lists;
  std::int64_t wrong = 0;
};

double bytes_of_lists(const LineLists& lists) {
  double lines = 0.0;
  for (const std::vector<std::uint32_t>& list : lists) {
    lines += static_cast<double>(list.size());
  }
  return lines * static_cast<double>(L2Lines::line_bytes);
}

TimedPass pass_over(L2Lines& lines, LineRun& run) {
  const double bytes = lines.run(run.pass, run.lists).bytes;
  const bool reads = run.pass == LinePass::read;
  return {
      .name = run.name,
      .work = {.traffic = {.bytes_read = reads ? bytes : 0.0, .bytes_written = reads ? 0.0 : bytes},
               .model = "lines that stay in L2, each multiprocessor again and again its own",
               .working_set_bytes = bytes_of_lists(run.lists),
               .is_bound_by_memory = false},
      .parameters = {{"operation", run.name}},
      .seconds = [&lines, &run] {
        const LineRates rates = lines.run(run.pass, run.lists);
        run.wrong += rates.wrong;
        return rates.seconds;
      }};
}

bool fits(const LineLists& lists) {
  return std::ranges::all_of(lists, [](const std::vector<std::uint32_t>& list) {
    return list.size() >= L2Lines::shortest_list && list.size() <= L2Lines::longest_list;
  });
}

std::vector<LineRun> line_runs(const LinesByHalf& halves, bool two_parts) {
  std::vector<LineRun> runs;
  for (const LinePass pass : {LinePass::read, LinePass::write}) {
    const std::string verb = pass == LinePass::read ? "L2 read" : "L2 write";
    if (two_parts) {
      runs.push_back({verb + ", near half", pass, line_lists(halves, LineChoice::near)});
      runs.push_back({verb + ", far half", pass, line_lists(halves, LineChoice::far)});
    }
    runs.push_back({verb + (two_parts ? ", both halves" : ", one part"), pass,
                    line_lists(halves, LineChoice::all)});
  }
  std::erase_if(runs, [](const LineRun& run) { return !fits(run.lists); });
  return runs;
}

void measure_lines(const Problem& problem, Experiment& experiment, L2Lines& lines,
                   std::vector<LineRun> runs, RunResult& result) {
  if (runs.empty()) {
    result.notes.emplace_back("L2: too many or too few multiprocessors for lists of its lines");
    return;
  }
  std::vector<TimedPass> passes;
  passes.reserve(runs.size());
  for (LineRun& run : runs) {
    passes.push_back(pass_over(lines, run));
  }
  std::vector<Measurement> measured = measure_in_turn(experiment, passes, problem.repeats);
  for (std::size_t n = 0; n < measured.size(); ++n) {
    result.checks.push_back(check_of(runs[n].name + ": wrong multiprocessors or vectors",
                                     runs[n].wrong, "numbers that name their place"));
    result.measurements.push_back(std::move(measured[n]));
  }
}

/// What is known about the halves.
struct HalvesFound {
  LinesByHalf halves;
  double separation = 0.0;
  bool two_parts = false;
};

/// The groups of multiprocessors come from the correlation of their latencies on some lines; a line
/// then belongs to the group whose multiprocessors reach it faster on average. The difference of
/// two averages over many multiprocessors has far less noise than the latencies of a single one.
HalvesFound find_halves(L2Lines& lines) {
  constexpr int samples = 256;
  HalvesFound found;
  found.halves.group_of_multiprocessor = group_by_correlation(lines.sample_latencies(samples));
  found.halves.group_of_line.assign(static_cast<std::size_t>(lines.lines()), 0);
  const std::vector<int>& groups = found.halves.group_of_multiprocessor;
  if (std::ranges::count(groups, 1) == 0) {
    return found;
  }
  const auto latencies = lines.mean_latencies(groups);
  std::vector<double> differences;
  for (std::size_t line = 0; line < latencies[0].size(); ++line) {
    differences.push_back(latencies[0][line] - latencies[1][line]);
  }
  const TwoModes modes = two_means(differences);
  found.separation = modes.separation;
  found.two_parts = modes.has_two_modes() && modes.lower < 0.0 && modes.upper > 0.0;
  for (std::size_t line = 0; found.two_parts && line < modes.is_upper.size(); ++line) {
    found.halves.group_of_line[line] = modes.is_upper[line] ? 1 : 0;
  }
  return found;
}

void note_halves(const HalvesFound& found, RunResult& result) {
  const auto& units = found.halves.group_of_multiprocessor;
  const auto& lines = found.halves.group_of_line;
  if (!found.two_parts) {
    result.notes.push_back(fmt::format(
        "L2: one part: latencies of its lines do not fall into two modes (separation {:.1f})",
        found.separation));
    return;
  }
  result.notes.push_back(fmt::format(
      "L2: two halves, of {} and {} multiprocessors and of {} and {} of {} lines; the "
      "latencies of their lines are {:.1f} times the spread within a half apart",
      std::ranges::count(units, 0), std::ranges::count(units, 1), std::ranges::count(lines, 0),
      std::ranges::count(lines, 1), lines.size(), found.separation));
}

void add_latencies(const HalvesFound& found, L2Lines& lines, RunResult& result) {
  const HalfLatencies latencies =
      half_latencies(found.halves, lines.mean_latencies(found.halves.group_of_multiprocessor));
  for (Measurement& m : result.measurements) {
    if (m.name == "L2 read, near half") {
      m.figures.push_back({"atomic_latency_in_clocks", latencies.near});
    } else if (m.name == "L2 read, far half") {
      m.figures.push_back({"atomic_latency_in_clocks", latencies.far});
    }
  }
}

/// A curve of bandwidth by bytes in flight, and the samples of its fastest point.
struct FlightCurve {
  Series series;
  std::vector<double> fastest = {};  ///< seconds
  std::int64_t wrong = 0;
};

FlightCurve flight_curve(const Problem& problem, FlightReads& reads, int loads) {
  FlightCurve curve{
      .series = {.name = fmt::format("bandwidth by bytes in flight, {} loads per thread", loads),
                 .x_name = "bytes_in_flight",
                 .x_unit = "B",
                 .y_name = "bandwidth",
                 .y_unit = "B/s",
                 .parameters = {{"loads_per_thread", std::int64_t{loads}}}}};
  double least = 0.0;
  for (const FlightShape& shape : flight_shapes(loads, reads.most_blocks(loads, 256))) {
    std::vector<double> samples;
    reads.read(shape);
    for (int n = 0; n < std::min(problem.repeats, 5); ++n) {
      const FlightPass pass = reads.read(shape);
      samples.push_back(pass.seconds);
      curve.wrong += pass.is_right ? 0 : 1;
    }
    const double seconds = summarise(samples).min;
    curve.series.points.emplace_back(static_cast<double>(shape.bytes_in_flight()),
                                     static_cast<double>(reads.bytes()) / seconds);
    if (curve.fastest.empty() || seconds < least) {
      least = seconds;
      curve.fastest = samples;
    }
  }
  return curve;
}

/// Seconds of a dependent load from memory. The chain's lines do not fit L2, and the array is read
/// in between, so that L2 holds none of those that building the chain left there.
double memory_latency(const Problem& problem, FlightReads& reads, std::int64_t bytes) {
  const auto chase = make_chase(problem.device, bytes, HostPages::huge);
  const std::int64_t line = line_bytes(problem.device);
  const ChainLayout layout = make_layout(bytes, line, line, max_nodes(problem.device));
  chase->build(layout, random_cycle(layout.nodes, 2008));
  constexpr std::int64_t loads = 1 << 13;
  double least = 0.0;
  for (int n = 0; n < 3; ++n) {
    reads.read({.loads = 4, .blocks = 4, .threads = 256});
    const double seconds = chase->seconds(loads) / static_cast<double>(loads);
    least = n == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

Measurement in_flight_measurement(const Experiment& experiment, const FlightReads& reads,
                                  const std::vector<FlightCurve>& curves, double latency) {
  const auto fastest = std::ranges::min_element(
      curves, {}, [](const FlightCurve& curve) { return summarise(curve.fastest).min; });
  std::vector<std::pair<double, double>> points;
  for (const FlightCurve& curve : curves) {
    points.insert(points.end(), curve.series.points.begin(), curve.series.points.end());
  }
  const auto bytes = static_cast<double>(reads.bytes());
  Measurement m = experiment.measurement("read with most bytes in flight", fastest->fastest,
                                         {.traffic = {.bytes_read = bytes},
                                          .model = "the array once",
                                          .working_set_bytes = bytes,
                                          .is_bound_by_memory = false});
  const double largest = bytes / m.seconds.min;
  m.parameters = {{"operation", "read by bytes in flight"}, {"array", reads.bytes(), "B"}};
  m.figures = {{"in_flight_at_90_percent", x_at_part_of_largest(points, 0.9), "B"},
               {"latency", latency, "s"},
               {"latency_times_bandwidth",
                bytes_by_littles_law(largest, latency, reads.multiprocessors()), "B"}};
  m.notes.emplace_back("bytes in flight are those of one multiprocessor");
  return m;
}

}  // namespace

void detail::measure_chip_memory(const Problem& problem, const RunContext& context,
                                 Experiment& experiment, RunResult& result) {
  const auto memory = make_cuda_chip_memory(problem.device);
  context.begin("memory inside the chip", 0.0, 2.0);
  std::vector<ChipReads> reads;
  reads.reserve(2);  // passes refer to them
  for (const OnChip where : {OnChip::shared, OnChip::l1}) {
    reads.emplace_back(on_chip_names.to_string(where),
                       [&memory, where] { return memory->read(where); });
  }
  measure_reads(problem, experiment, reads, result);
  context.begin("shared memory of other blocks", 1.0, 2.0);
  const std::vector<int> sizes = possible_clusters(*memory, result);
  if (!sizes.empty()) {
    measure_cluster_rates(problem, experiment, *memory, sizes, result);
    measure_cluster_latencies(problem, experiment, *memory, sizes, result);
  }
}

void detail::measure_l2_halves(const Problem& problem, const RunContext& context,
                               Experiment& experiment, RunResult& result) {
  // A far line may be copied into the near half, so the set has to fit L2 twice.
  const std::int64_t bytes = std::min(
      8 * mebibyte, std::max(gpu_of(problem).l2_bytes / 4 / mebibyte, std::int64_t{1}) * mebibyte);
  context.begin("halves of L2", 0.0, 1.0);
  const auto lines = make_cuda_l2_lines(problem.device, bytes);
  const HalvesFound found = find_halves(*lines);
  note_halves(found, result);
  measure_lines(problem, experiment, *lines, line_runs(found.halves, found.two_parts), result);
  if (found.two_parts) {
    add_latencies(found, *lines, result);
  }
}

void detail::measure_launches(const Problem& problem, const RunContext& context,
                              Experiment& experiment, RunResult& result) {
  context.begin("launches", 0.0, 1.0);
  const auto kernels = make_cuda_empty_kernels(problem.device);
  std::vector<TimedPass> passes;
  for (const LaunchWay way : launch_way_names.list()) {
    const std::string name = launch_way_names.to_string(way);
    passes.push_back(
        {.name = name,
         .work = {.model = "an empty kernel of one block", .is_bound_by_memory = false},
         .parameters = {{"operation", name}},
         .seconds = [&kernels, way] { return kernels->seconds(way); }});
  }
  std::vector<Measurement> measured = measure_in_turn(experiment, passes, problem.repeats);
  std::move(measured.begin(), measured.end(), std::back_inserter(result.measurements));
}

void detail::measure_in_flight(const Problem& problem, const RunContext& context,
                               const Experiment& experiment, RunResult& result) {
  const std::int64_t bytes = in_flight_bytes(problem);
  if (bytes < mebibyte) {
    result.notes.emplace_back("bandwidth by bytes in flight left out for lack of memory");
    return;
  }
  const auto reads = make_cuda_flight_reads(problem.device, bytes);
  std::vector<FlightCurve> curves;
  std::int64_t wrong = 0;
  for (const int loads : loads_per_thread) {
    context.begin("bandwidth by bytes in flight", static_cast<double>(curves.size()),
                  static_cast<double>(std::size(loads_per_thread)));
    curves.push_back(flight_curve(problem, *reads, loads));
    wrong += curves.back().wrong;
  }
  const double latency = memory_latency(problem, *reads, bytes);
  result.measurements.push_back(in_flight_measurement(experiment, *reads, curves, latency));
  for (FlightCurve& curve : curves) {
    result.series.push_back(std::move(curve.series));
  }
  result.checks.push_back(
      check_of("reads by bytes in flight: wrong sums", wrong, "small integers, summed exactly"));
}

void detail::measure_gpu_chip(const Problem& problem, const RunContext& context,
                              Experiment& experiment, RunResult& result) {
  measure_chip_memory(problem, context, experiment, result);
  measure_l2_halves(problem, context, experiment, result);
  measure_launches(problem, context, experiment, result);
  measure_in_flight(problem, context, experiment, result);
}

}  // namespace bankfull::probe
