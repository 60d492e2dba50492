#include "bankfull/workloads/probe/link.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr int max_pairs = 8;
constexpr std::int64_t named_face = std::int64_t{64} << 10;
constexpr std::int64_t checked_face = 4 * std::int64_t{1237};  // rows that end within a vector

constexpr double sample_seconds = 20e-3;
constexpr double trial_seconds = 2e-3;
constexpr int trials = 3;
constexpr int max_batches = 1 << 20;

constexpr float untouched = -1.0F;

/// A number that identifies rank, plane and cell, exact in fp32 for the first 4096 ranks.
float cell_value(int rank, int plane, std::int64_t k) {
  return static_cast<float>(rank * 4096 + plane * 2048) + static_cast<float>(k % 2048);
}

/// Fills the row of plane `i` with what plane `plane` of rank `rank` holds.
void fill_plane(std::vector<float>& values, const Layout& layout, std::int64_t i, int rank,
                int plane) {
  float* const row = values.data() + layout.origin() + layout.offset(i, 0, 0);
  for (std::int64_t k = 0; k < layout.interior().nk; ++k) {
    row[k] = cell_value(rank, plane, k);
  }
}

/// Where the ranks are, in their order.
struct Places {
  std::vector<Device> devices;
  std::vector<int> nodes;
};

std::string devices_of(const LinkPattern& pattern, const Places& places) {
  std::vector<std::string> names;
  names.reserve(pattern.ranks.size());
  for (const int rank : pattern.ranks) {
    names.push_back(to_string(places.devices[static_cast<std::size_t>(rank)]));
  }
  return fmt::format("{}", fmt::join(names, " - "));
}

std::int64_t nodes_of(const LinkPattern& pattern, const Places& places) {
  std::set<int> nodes;
  for (const int rank : pattern.ranks) {
    nodes.insert(places.nodes[static_cast<std::size_t>(rank)]);
  }
  return static_cast<std::int64_t>(nodes.size());
}

std::vector<Transport> candidates(const Problem& problem) {
  if (problem.transport != Transport::automatic) {
    return {problem.transport};
  }
  if (!problem.device.is_cuda()) {
    return {Transport::mpi};
  }
  return {Transport::peer, Transport::nccl, Transport::mpi_device, Transport::mpi};
}

/// Collective. Why the ranks cannot use a transport; empty where they can.
std::string obstacle_to(Transport transport, const Communicator& ranks, Device device) {
  if constexpr (build::cuda) {
    if (device.is_cuda()) {
      return gpu_transport_obstacle(transport, ranks, device);
    }
  }
  return transport == Transport::mpi ? "" : "fields in host memory travel by mpi";
}

/// Collective: seconds of the slowest rank.
double slowest_seconds(LinkTimer& timer, const Communicator& ranks, int batches) {
  ranks.barrier();
  return ranks.max(timer.seconds(batches));
}

/// Collective: the fastest of a few trials. If a disturbed trial set the length of the samples,
/// they would be too short to average out disturbances of their own.
double trial(LinkTimer& timer, const Communicator& ranks, int batches) {
  double seconds = slowest_seconds(timer, ranks, batches);
  for (int n = 1; n < trials; ++n) {
    seconds = std::min(seconds, slowest_seconds(timer, ranks, batches));
  }
  return seconds;
}

/// Collective: how many batches fill a sample.
int batches_per_sample(LinkTimer& timer, const Communicator& ranks) {
  timer.seconds(1);
  int batches = 1;
  double seconds = trial(timer, ranks, batches);
  while (seconds < trial_seconds && batches < max_batches) {
    batches *= 4;
    seconds = trial(timer, ranks, batches);
  }
  const double filling = std::ceil(batches * sample_seconds / seconds);
  return static_cast<int>(std::clamp(filling, 1.0, 1.0 * max_batches));
}

/// Collective: seconds per exchange, one for each of `samples`.
void take_samples(LinkTimer& timer, const Communicator& ranks, std::span<double> samples) {
  const int batches = batches_per_sample(timer, ranks);
  const double exchanges = static_cast<double>(batches) * timer.exchanges_per_batch();
  for (double& sample : samples) {
    sample = slowest_seconds(timer, ranks, batches) / exchanges;
  }
}

/// One pattern over one transport.
struct Link {
  LinkPattern pattern;
  Transport transport = Transport::automatic;
  std::vector<std::int64_t> sizes;       ///< of a face, bytes
  std::vector<Statistics> seconds = {};  ///< per exchange, for each size
  std::int64_t wrong_cells = 0;
  std::vector<Figure> parameters;

  [[nodiscard]] std::string name() const {
    return fmt::format("{}, {}", to_string(pattern), to_string(transport));
  }

  [[nodiscard]] LinkSetup setup(const Communicator& ranks, std::int64_t face_bytes) const {
    return {ranks, transport, pattern.ring, face_bytes};
  }

  /// That a rank sends in one exchange.
  [[nodiscard]] double sent_bytes(std::size_t size) const {
    return static_cast<double>((pattern.ring ? 2 : 1) * sizes[size]);
  }
};

/// Collective among the ranks of the pattern: `repeats` samples of each size, size after size.
void time_link(const Problem& problem, const Link& link, const Communicator& ranks,
               Progress& progress, std::vector<double>& samples) {
  const auto repeats = static_cast<std::size_t>(problem.repeats);
  for (std::size_t n = 0; n < link.sizes.size(); ++n) {
    progress.update("links, " + link.name(), static_cast<double>(n),
                    static_cast<double>(link.sizes.size()));
    const auto timer =
        make_link_timer(link.setup(ranks, link.sizes[n]), problem.device, problem.threads);
    take_samples(*timer, ranks, std::span(samples).subspan(n * repeats, repeats));
  }
}

/// Collective among all ranks, of which those of the pattern pass the communicator of their own.
/// All get the whole result, so that they agree on the verdict.
void measure_link(const Problem& problem, const Communicator& all, const Communicator* members,
                  Progress& progress, Link& link) {
  const auto repeats = static_cast<std::size_t>(problem.repeats);
  std::vector<double> samples(link.sizes.size() * repeats);
  std::int64_t wrong = 0;
  if (members != nullptr) {
    const LinkSetup setup = link.setup(*members, checked_face);
    wrong = wrong_cells(*make_link_timer(setup, problem.device, problem.threads), setup);
    time_link(problem, link, *members, progress, samples);
  }
  all.patient_barrier();
  all.broadcast(samples.data(), samples.size() * sizeof(double), 0);
  link.wrong_cells = all.sum(wrong);
  for (std::size_t n = 0; n < link.sizes.size(); ++n) {
    const auto first = samples.begin() + static_cast<std::ptrdiff_t>(n * repeats);
    link.seconds.push_back(summarise({first, first + static_cast<std::ptrdiff_t>(repeats)}));
  }
}

Series series_of(const Link& link, const std::string& what, const std::string& quantity,
                 const std::string& unit) {
  return {.name = what + ", " + link.name(),
          .x_name = "message_size",
          .x_unit = "B",
          .y_name = quantity,
          .y_unit = unit,
          .parameters = link.parameters};
}

void add_series(const Link& link, RunResult& result) {
  Series times = series_of(link, "exchange time", "time", "s");
  Series rates = series_of(link, "bandwidth", "bandwidth", "B/s");
  for (std::size_t n = 0; n < link.sizes.size(); ++n) {
    const auto size = static_cast<double>(link.sizes[n]);
    times.points.emplace_back(size, link.seconds[n].median);
    rates.points.emplace_back(size, link.sent_bytes(n) / link.seconds[n].median);
  }
  result.series.push_back(std::move(times));
  result.series.push_back(std::move(rates));
}

/// Collective among all ranks.
Measurement measurement_of(const Link& link, std::size_t n, const Communicator& ranks,
                           const Experiment& experiment) {
  // A rate between two ranks and not the sum of all: that of the root, which takes part in every
  // pattern.
  const double sent = ranks.rank() == 0 ? link.sent_bytes(n) : 0.0;
  Measurement m = experiment.measurement(
      fmt::format("exchange of {} faces, {}", format_bytes(static_cast<double>(link.sizes[n])),
                  link.name()),
      link.seconds[n].samples,
      {.traffic = {.bytes_written = sent},
       .model = "bytes that one rank sends; it receives as many at the same time",
       .is_bound_by_memory = false});
  m.parameters = link.parameters;
  m.parameters.push_back({"message_size", link.sizes[n], "B"});
  if (n == 0) {
    m.figures.push_back({"latency", m.seconds.median, "s"});
  }
  if (n + 1 == link.sizes.size()) {
    m.figures.push_back({"bandwidth", link.sent_bytes(n) / m.seconds.median, "B/s"});
  }
  return m;
}

/// The exchanges that people compare: the smallest, a usual one and the largest. Collective among
/// all ranks.
void add_measurements(const Link& link, const Communicator& ranks, const Experiment& experiment,
                      RunResult& result) {
  for (std::size_t n = 0; n < link.sizes.size(); ++n) {
    if (n == 0 || link.sizes[n] == named_face || n + 1 == link.sizes.size()) {
      result.measurements.push_back(measurement_of(link, n, ranks, experiment));
    }
  }
}

void add_note(const std::string& note, RunResult& result) {
  if (std::ranges::find(result.notes, note) == result.notes.end()) {
    result.notes.push_back(note);
  }
}

/// Collective among all ranks.
void measure_pattern(const Problem& problem, const RunContext& context, const LinkPattern& pattern,
                     const Places& places, const Experiment& experiment, RunResult& result) {
  const Communicator& ranks = context.ranks;
  const auto members = ranks.split(pattern.includes(ranks.rank()) ? 0 : -1);
  for (const Transport transport : candidates(problem)) {
    const std::string obstacle =
        members ? obstacle_to(transport, *members, problem.device) : std::string();
    if (!ranks.all(obstacle.empty())) {
      // Ranks outside the pattern do not know the reason; the root takes part in all.
      if (members) {
        add_note(fmt::format("{} not measured: {}", to_string(transport), obstacle), result);
      }
      continue;
    }
    Link link{.pattern = pattern,
              .transport = transport,
              .sizes = face_sizes(problem),
              .parameters = {{"pattern", to_string(pattern)},
                             {"transport", to_string(transport)},
                             {"devices", devices_of(pattern, places)},
                             {"nodes", nodes_of(pattern, places)}}};
    context.end_if_interrupted();
    measure_link(problem, ranks, members.get(), context.progress, link);
    add_series(link, result);
    add_measurements(link, ranks, experiment, result);
    result.checks.push_back({.name = link.name() + ": wrong cells",
                             .value = static_cast<double>(link.wrong_cells),
                             .source = "numbers that name their rank, plane and cell"});
  }
}

}  // namespace

bool LinkPattern::includes(int rank) const { return std::ranges::find(ranks, rank) != ranks.end(); }

std::string to_string(const LinkPattern& pattern) {
  return pattern.ring ? "ring"
                      : fmt::format("pair {}-{}", pattern.ranks.front(), pattern.ranks.back());
}

std::vector<LinkPattern> link_patterns(int ranks) {
  std::vector<LinkPattern> patterns;
  LinkPattern ring{.ranks = {0}, .ring = true};
  for (int rank = 1; rank < ranks; ++rank) {
    if (rank <= max_pairs) {
      patterns.push_back({.ranks = {0, rank}});
    }
    ring.ranks.push_back(rank);
  }
  patterns.push_back(std::move(ring));
  return patterns;
}

std::vector<std::int64_t> face_sizes(const Problem& problem) {
  std::vector<std::int64_t> sizes{problem.working_set_from};
  const std::int64_t step = problem.quick ? 16 : 4;
  for (std::int64_t size = step; size < problem.working_set_to; size *= step) {
    if (size > problem.working_set_from) {
      sizes.push_back(size);
    }
  }
  if (problem.working_set_to > problem.working_set_from) {
    sizes.push_back(problem.working_set_to);
  }
  return sizes;
}

LinkGrid::LinkGrid(const LinkSetup& setup)
    : decomposition({2 * std::int64_t{setup.ranks.size()}, 1,
                     setup.face_bytes / static_cast<std::int64_t>(sizeof(float))},
                    {setup.ranks.size(), 1, 1}, {.i = setup.ring}),
      layout(decomposition.block(setup.ranks.rank()).extents(), 1, sizeof(float)) {}

HaloSetup LinkGrid::halo(const LinkSetup& setup) const {
  return {.ranks = setup.ranks,
          .decomposition = decomposition,
          .layout = layout,
          .transport = setup.transport,
          .alone = true};
}

std::int64_t wrong_cells(LinkTimer& timer, const LinkSetup& setup) {
  const LinkGrid grid(setup);
  const int own = setup.ranks.rank();
  std::vector<float> before(static_cast<std::size_t>(grid.layout.size()), untouched);
  fill_plane(before, grid.layout, 0, own, 0);
  fill_plane(before, grid.layout, 1, own, 1);
  std::vector<float> expected = before;
  if (const auto lower = grid.decomposition.neighbour(own, {-1, 0, 0})) {
    fill_plane(expected, grid.layout, -1, *lower, 1);
  }
  if (const auto upper = grid.decomposition.neighbour(own, {+1, 0, 0})) {
    fill_plane(expected, grid.layout, 2, *upper, 0);
  }
  const std::vector<float> after = timer.exchanged(before);
  return std::inner_product(expected.begin(), expected.end(), after.begin(), std::int64_t{0},
                            std::plus<>(), std::not_equal_to<>());
}

void require_links(const Problem& problem, const Communicator& ranks) {
  if (problem.transport != Transport::automatic) {
    const std::string obstacle = obstacle_to(problem.transport, ranks, problem.device);
    require(obstacle.empty(), "--transport " + to_string(problem.transport) + ": " + obstacle,
            "use --transport auto");
  }
}

void measure_links(const Problem& problem, const RunContext& context, const Experiment& experiment,
                   RunResult& result) {
  const Communicator& ranks = context.ranks;
  const Places places{.devices = ranks.all_gather(problem.device),
                      .nodes = ranks.all_gather(ranks.node())};
  add_note("exchange times include packing the faces and unpacking them into ghost cells", result);
  for (const LinkPattern& pattern : link_patterns(ranks.size())) {
    measure_pattern(problem, context, pattern, places, experiment, result);
  }
}

}  // namespace bankfull::probe
