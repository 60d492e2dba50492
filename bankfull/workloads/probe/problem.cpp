#include "bankfull/workloads/probe/problem.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/core/measure/stream_names.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

namespace bankfull::probe {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 50;
constexpr int max_threads = 4096;
constexpr int max_n_copy = 65536;
constexpr std::int64_t face_cell = sizeof(float);
constexpr std::int64_t max_face = 4 * gib;
constexpr std::int64_t host_footprint = 16 * mib;  // every load takes about a microsecond

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

constexpr auto part_names = enum_names<Part>({
    {Part::bandwidth, "bandwidth"},
    {Part::latency, "latency"},
    {Part::chip, "chip"},
    {Part::peers, "peers"},
    {Part::link, "link"},
    {Part::all, "all"},
});

constexpr auto stores_names = enum_names<Stores>({
    {Stores::ordinary, "ordinary"},
    {Stores::streaming, "streaming"},
    {Stores::both, "both"},
});

constexpr auto pages_names =
    enum_names<HostPages>({{HostPages::small, "small"}, {HostPages::huge, "huge"}});

void require_size(const std::string& what, std::int64_t bytes) {
  require(bytes >= 0 && bytes <= max_bytes,
          fmt::format("{} of {} bytes makes no sense", what, bytes),
          "give a size from 1 B to 1 PiB");
}

void require_range(const std::string& what, std::int64_t from, std::int64_t to) {
  require_size(what, from);
  require_size(what, to);
  require(from == 0 || to == 0 || from <= to,
          fmt::format("{} from {} to {} is empty", what, bytes_text(from), bytes_text(to)),
          "let it end above its start");
}

void require_each(const std::string& what, const std::vector<int>& values, int least, int most) {
  for (const int value : values) {
    require(value >= least && value <= most, fmt::format("{} {} makes no sense", what, value),
            fmt::format("use {} to {}", least, most));
  }
}

void require_cpu_or_gpu_options(const Problem& problem) {
  if (problem.device.is_cuda()) {
    require(problem.team_sizes.empty(), "a GPU has no team of threads to vary",
            "vary blocks and threads per block, or probe the CPU");
    require(problem.pages.empty(), "the pages of GPU memory cannot be chosen",
            "leave them out, or probe the CPU");
    require(problem.stores != Stores::streaming, "streaming stores exist on CPUs only",
            "use ordinary stores, or probe the CPU");
    return;
  }
  require(problem.grid_blocks.empty() && problem.grid_threads.empty(),
          "blocks and threads per block exist on GPUs only", "vary the number of threads instead");
  require(problem.transfer_bytes == 0, "copies between host and device need a GPU",
          "probe a CUDA device, or leave the size of copies out");
}

void require_strides(const Problem& problem) {
  const std::int64_t line = line_bytes(problem.device);
  for (const std::int64_t stride : problem.strides) {
    require_size("a stride", stride);
    require(stride >= line && stride % line == 0,
            fmt::format("a stride of {} is not a whole number of cache lines", bytes_text(stride)),
            fmt::format("use a multiple of {}", bytes_text(line)));
    require(problem.footprint_to == 0 || problem.footprint_to >= 4 * stride,
            fmt::format("a stride of {} leaves fewer than 4 nodes in a footprint of {}",
                        bytes_text(stride), bytes_text(problem.footprint_to)),
            "use a smaller stride or a larger footprint");
  }
}

/// The smallest working set: below it, starting a pass takes longer than the pass.
std::int64_t min_working_set(const Problem& problem) {
  return problem.device.is_cuda() ? 64 * kib : 4 * kib * problem.threads;
}

void require_faces(const Problem& problem) {
  require_range("a message", problem.working_set_from, problem.working_set_to);
  for (const std::int64_t bytes : {problem.working_set_from, problem.working_set_to}) {
    require(bytes % face_cell == 0,
            fmt::format("a message of {} bytes is not a whole number of cells", bytes),
            fmt::format("use a multiple of {} B", face_cell));
    require(bytes <= max_face, fmt::format("a message of {} makes no sense", bytes_text(bytes)),
            fmt::format("use {} or less", bytes_text(max_face)));
  }
}

void require_working_sets(const Problem& problem) {
  require_range("a working set", problem.working_set_from, problem.working_set_to);
  const std::int64_t least = min_working_set(problem);
  for (const std::int64_t bytes : {problem.working_set_from, problem.working_set_to}) {
    require(bytes == 0 || bytes >= least,
            fmt::format("a working set of {} is too small to time", bytes_text(bytes)),
            fmt::format("start at {} or more", bytes_text(least)));
  }
}

/// Threads to compare by default: powers of two, and all.
std::vector<int> doubling_up_to(int most) {
  std::vector<int> values;
  for (int value = 1; value < most; value *= 2) {
    values.push_back(value);
  }
  values.push_back(most);
  return values;
}

std::vector<int> some_blocks(Device gpu, bool quick) {
  const int units = survey_gpus().gpus.at(static_cast<std::size_t>(gpu.index)).multiprocessors;
  std::vector<int> blocks;
  for (const int each :
       quick ? std::vector{1, 4, 16, 64} : std::vector{1, 2, 4, 8, 16, 32, 64, 256}) {
    blocks.push_back(each * units);
  }
  return blocks;
}

template <class T>
void fill_blank(std::vector<T>& list, std::vector<T> values) {
  if (list.empty()) {
    list = std::move(values);
  }
}

template <class T>
void fill_blank(T& value, T choice) {
  if (value == 0) {
    value = choice;
  }
}

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// For a quick probe of a CPU: just beyond its last cache, unless that takes more than seconds.
std::int64_t quick_size(const Problem& problem) {
  const std::int64_t beyond = last_cache_bytes(problem.device) / 4 * 17;
  return std::clamp(beyond, 256 * mib, 1280 * mib);
}

std::int64_t largest_working_set(const Problem& problem) {
  const bool bounded = problem.quick && !problem.device.is_cuda();
  return ceiling_working_set(problem.device, problem.threads, bounded ? quick_size(problem) : 0);
}

void complete_bandwidth(Problem& problem) {
  using enum StreamOperation;
  const bool gpu = problem.device.is_cuda();
  const bool quick = problem.quick;
  fill_blank(problem.precisions,
             quick ? std::vector{Precision::fp64} : std::vector{Precision::fp32, Precision::fp64});
  fill_blank(problem.operations, quick ? std::vector{read, copy, triad, mix} : all_operations());
  fill_blank(problem.mix_reads, quick ? std::vector{13} : std::vector{4, 8, 13});
  problem.stores = gpu ? Stores::ordinary : problem.stores;
  const std::int64_t floor = gpu ? mib : 8 * kib * problem.threads;
  const std::int64_t wanted = largest_working_set(problem);
  const std::int64_t bound = problem.memory_limit / (gpu ? 2 : 1) - padding_bytes(problem);
  require(bound >= min_working_set(problem),
          fmt::format("{} of memory cannot hold a working set", bytes_text(problem.memory_limit)),
          "allow more memory");
  fill_blank(problem.working_set_to, std::max(std::min(wanted, bound), problem.working_set_from));
  fill_blank(problem.working_set_from, std::min(floor, problem.working_set_to));
  fill_blank(problem.n_copy, quick ? std::vector{1, 4, 16, 64}
                                   : std::vector{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024});
  if (gpu) {
    fill_blank(problem.grid_blocks, some_blocks(problem.device, quick));
    fill_blank(problem.grid_threads, quick ? std::vector{256} : std::vector{128, 256, 512, 1024});
    fill_blank(problem.transfer_bytes,
               std::min((quick ? 64 : 256) * mib, free_bytes(Device::cpu()) / 8));
  } else {
    fill_blank(problem.team_sizes, doubling_up_to(problem.threads));
  }
}

void complete_link(Problem& problem) {
  const std::int64_t to = (problem.quick ? 4 : 64) * mib;
  fill_blank(problem.working_set_to, std::max(to, problem.working_set_from));
  fill_blank(problem.working_set_from, std::min(2 * face_cell, problem.working_set_to));
}

void complete_latency(Problem& problem) {
  const std::int64_t line = line_bytes(problem.device);
  const bool gpu = problem.device.is_cuda();
  const std::int64_t beyond_cache = 4 * last_cache_bytes(problem.device);
  const std::int64_t far = gpu ? (problem.quick ? 4 * gib : 64 * gib) : 4 * gib;
  const std::int64_t bound = gpu ? problem.memory_limit : problem.memory_limit / 2;
  const std::int64_t wanted =
      problem.quick && !gpu ? quick_size(problem) : std::max(beyond_cache, far);
  const std::int64_t to = std::min(wanted, bound);
  require(problem.footprint_to > 0 || to >= 4 * line,
          fmt::format("{} of memory cannot hold a chain", bytes_text(problem.memory_limit)),
          "allow more memory");
  fill_blank(problem.footprint_to, std::max(to, problem.footprint_from));
  fill_blank(problem.footprint_from, std::min(gpu ? 8 * kib : 4 * kib, problem.footprint_to));
  const bool holds_pages = problem.footprint_to >= 16 * kib;
  if (problem.quick && !gpu && holds_pages && problem.strides.empty() && problem.pages.empty()) {
    return;  // `walks` knows which two series are most informative
  }
  if (problem.strides.empty()) {
    for (const std::int64_t stride : {line, 4 * kib, 64 * kib, 2 * mib}) {
      const bool chosen = !problem.quick || stride == line || stride == 2 * mib;
      if (chosen && problem.footprint_to >= 4 * stride) {
        problem.strides.push_back(stride);
      }
    }
  }
  if (!gpu) {
    fill_blank(problem.pages, std::vector{HostPages::small, HostPages::huge});
  }
}

/// Of the chip part of a CPU, which walks chains too.
bool has_chains_of_chip(const Problem& problem) {
  return has_part(problem, Part::chip) && !problem.device.is_cuda();
}

std::string joined(const std::vector<int>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}

template <class T>
std::string names(const std::vector<T>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const T& value : values) {
    texts.push_back(to_string(value));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

void describe_bandwidth(const Problem& problem, std::vector<Figure>& figures) {
  figures.push_back({"precisions", names(problem.precisions)});
  figures.push_back({"operations", names(problem.operations)});
  figures.push_back({"mix_reads", joined(problem.mix_reads)});
  figures.push_back({"stores", to_string(problem.stores)});
  figures.push_back({"working_set_from", problem.working_set_from, "B"});
  figures.push_back({"working_set_to", problem.working_set_to, "B"});
  figures.push_back({"n_copy", joined(problem.n_copy)});
  if (problem.device.is_cuda()) {
    figures.push_back({"grid_blocks", joined(problem.grid_blocks)});
    figures.push_back({"grid_threads", joined(problem.grid_threads)});
    figures.push_back({"transfer", problem.transfer_bytes, "B"});
  } else {
    figures.push_back({"team_sizes", joined(problem.team_sizes)});
  }
}

void describe_link(const Problem& problem, std::vector<Figure>& figures) {
  figures.push_back({"transport", to_string(problem.transport)});
  figures.push_back({"message_from", problem.working_set_from, "B"});
  figures.push_back({"message_to", problem.working_set_to, "B"});
}

}  // namespace

std::vector<Part> all_parts() { return part_names.list(); }

std::string to_string(Part part) { return part_names.to_string(part); }

Part parse_part(const std::string& text) {
  return part_names.parse(text, "'" + text + "' is not a part of the probe");
}

bool has_part(const Problem& problem, Part part) {
  if (problem.part != Part::all || part == Part::all) {
    return problem.part == part;
  }
  return part == Part::peers ? problem.device.is_cuda() && survey_gpus().gpus.size() > 1
                             : part != Part::link;
}

std::vector<Stores> all_stores() { return stores_names.list(); }

std::string to_string(Stores stores) { return stores_names.to_string(stores); }

Stores parse_stores(const std::string& text) {
  return stores_names.parse(text, "'" + text + "' is not a kind of store");
}

std::vector<StreamOperation> all_operations() { return stream_operation_names.list(); }

StreamOperation parse_operation(const std::string& text) {
  return stream_operation_names.parse(text, "'" + text + "' is not a stream operation");
}

std::vector<std::string> names_of_pages() { return pages_names.names(); }

std::string to_string(HostPages pages) { return pages_names.to_string(pages); }

HostPages parse_pages(const std::string& text) {
  return pages_names.parse(text, "'" + text + "' is not a kind of pages");
}

std::int64_t line_bytes(Device device) { return device.is_cuda() ? 128 : 64; }

void validate(const Problem& problem) {
  require(problem.threads >= 1 && problem.threads <= max_threads,
          fmt::format("a team of {} threads makes no sense", problem.threads),
          fmt::format("use 1 to {}", max_threads));
  require(!problem.quick || !problem.full, "a probe cannot be both quick and full",
          "leave --quick or --full out");
  require(problem.repeats >= 0 && problem.repeats <= max_repeats,
          fmt::format("{} repeats make no sense", problem.repeats),
          fmt::format("use 1 to {}", max_repeats));
  require(problem.points_per_octave >= 0 && problem.points_per_octave <= max_points_per_octave,
          fmt::format("{} points per octave make no sense", problem.points_per_octave),
          fmt::format("use 1 to {}", max_points_per_octave));
  require_size("a memory limit", problem.memory_limit);
  require_size("a copy", problem.transfer_bytes);
  require_each("a mix of 1 write and this many reads:", problem.mix_reads, 1, max_mix_reads);
  require_each("a team of this many threads:", problem.team_sizes, 1, max_threads);
  require_each("a grid of this many blocks:", problem.grid_blocks, 1,
               std::numeric_limits<int>::max());
  require_each("a block of this many threads:", problem.grid_threads, 32, 1024);
  require_each("a copy by this many streams:", problem.n_copy, 1, max_n_copy);
  for (const int threads : problem.grid_threads) {
    require(threads % 32 == 0,
            fmt::format("a block of {} threads does not consist of whole warps", threads),
            "use a multiple of 32");
  }
  require_cpu_or_gpu_options(problem);
  if (problem.part == Part::link) {
    require_faces(problem);
  } else {
    require_working_sets(problem);
    require(problem.transport == Transport::automatic, "--transport is for messages between ranks",
            "leave it out, or use probe link");
  }
  require_range("a footprint", problem.footprint_from, problem.footprint_to);
  require(problem.footprint_to == 0 || problem.footprint_to >= 4 * line_bytes(problem.device),
          fmt::format("a footprint of {} cannot hold a chain", bytes_text(problem.footprint_to)),
          fmt::format("let it end at {} or more", bytes_text(4 * line_bytes(problem.device))));
  require_strides(problem);
}

Problem complete(Problem problem) {
  validate(problem);
  const std::int64_t available = free_bytes(problem.device);
  fill_blank(problem.memory_limit, problem.device.is_cuda() ? available / 4 * 3 : available / 2);
  fill_blank(problem.repeats, problem.quick ? 5 : 10);
  fill_blank(problem.points_per_octave, problem.quick ? 2 : 3);
  if (has_part(problem, Part::bandwidth)) {
    complete_bandwidth(problem);
  }
  if (has_part(problem, Part::latency) || has_chains_of_chip(problem)) {
    complete_latency(problem);
  }
  if (has_part(problem, Part::link)) {
    complete_link(problem);
  }
  for (auto* list : {&problem.mix_reads, &problem.team_sizes, &problem.grid_blocks,
                     &problem.grid_threads, &problem.n_copy}) {
    sort_unique(*list);
  }
  sort_unique(problem.strides);
  require_strides(problem);
  return problem;
}

std::int64_t padding_bytes(const Problem& problem) {
  int threads = problem.threads;
  for (const int size : problem.team_sizes) {
    threads = std::max(threads, size);
  }
  return problem.device.is_cuda() ? mib : 256 * kib * threads;
}

std::int64_t max_nodes(Device device) {
  return std::max(4 * last_cache_bytes(device) / line_bytes(device), std::int64_t{1} << 17);
}

std::vector<StreamPattern> patterns(const Problem& problem) {
  std::vector<StreamPattern> all;
  for (const Precision precision : problem.precisions) {
    for (const StreamOperation operation : problem.operations) {
      const bool mixes = operation == StreamOperation::mix;
      for (const int reads : mixes ? problem.mix_reads : std::vector{1}) {
        StreamPattern pattern{.operation = operation, .mix_reads = reads, .precision = precision};
        if (problem.stores != Stores::streaming || operation == StreamOperation::read) {
          all.push_back(pattern);
        }
        if (problem.stores != Stores::ordinary && operation != StreamOperation::read) {
          pattern.streaming_stores = true;
          all.push_back(pattern);
        }
      }
    }
  }
  return all;
}

std::int64_t footprint_to(const Problem& problem, const Walk& walk) {
  if (walk.in_host_memory) {
    return std::min(problem.footprint_to, host_footprint);
  }
  return walk.order == ChainOrder::random
             ? problem.footprint_to
             : std::min(problem.footprint_to, max_nodes(problem.device) * walk.stride);
}

std::vector<Walk> prefetch_walks(const Problem& problem) {
  const Walk random{.stride = line_bytes(problem.device), .pages = HostPages::huge};
  const bool repeats_latency = has_part(problem, Part::latency) &&
                               std::ranges::any_of(walks(problem), [&](const Walk& walk) {
                                 return walk.stride == random.stride && walk.pages == random.pages;
                               });
  std::vector<Walk> all;
  for (const ChainOrder order : chain_order_names.list()) {
    if (order != ChainOrder::random || !repeats_latency) {
      all.push_back({.stride = random.stride, .pages = random.pages, .order = order});
    }
  }
  return all;
}

std::vector<Walk> walks(const Problem& problem) {
  if (problem.strides.empty()) {
    return {{.stride = line_bytes(problem.device), .pages = HostPages::huge},
            {.stride = 4 * kib, .pages = HostPages::small}};
  }
  // On a GPU the driver chooses the pages: one walk per stride.
  const std::vector<HostPages> kinds =
      problem.device.is_cuda() ? std::vector{HostPages::huge} : problem.pages;
  std::vector<Walk> all;
  for (const HostPages pages : kinds) {
    for (const std::int64_t stride : problem.strides) {
      all.push_back({.stride = stride, .pages = pages});
    }
  }
  if (problem.device.is_cuda()) {
    all.push_back({.stride = line_bytes(problem.device), .in_host_memory = true});
  }
  return all;
}

std::vector<Figure> describe(const Problem& problem) {
  std::vector<Figure> figures{{"part", to_string(problem.part)},
                              {"device", to_string(problem.device)},
                              {"quick", problem.quick},
                              {"full", problem.full},
                              {"repeats", std::int64_t{problem.repeats}},
                              {"memory_limit", problem.memory_limit, "B"}};
  if (!has_part(problem, Part::link)) {
    figures.push_back({"points_per_octave", std::int64_t{problem.points_per_octave}});
  }
  if (!problem.device.is_cuda()) {
    figures.push_back({"threads", std::int64_t{problem.threads}});
  }
  if (has_part(problem, Part::link)) {
    describe_link(problem, figures);
  }
  if (has_part(problem, Part::bandwidth)) {
    describe_bandwidth(problem, figures);
  }
  if (has_part(problem, Part::latency) || has_chains_of_chip(problem)) {
    figures.push_back({"footprint_from", problem.footprint_from, "B"});
    figures.push_back({"footprint_to", problem.footprint_to, "B"});
  }
  if (has_part(problem, Part::latency)) {
    for (const Walk& walk : walks(problem)) {
      figures.push_back({fmt::format("walk_{}", figures.size()), name_of(walk, problem.device)});
    }
  }
  return figures;
}

std::string name_of(const Walk& walk, Device device) {
  std::string name = "stride " + bytes_text(walk.stride);
  if (walk.in_host_memory) {
    return "host memory, " + name;
  }
  name += device.is_cuda() ? "" : ", " + to_string(walk.pages) + " pages";
  return walk.order == ChainOrder::random ? name
                                          : name + ", " + chain_order_names.to_string(walk.order);
}

std::vector<std::int64_t> log_spaced(std::int64_t from, std::int64_t to, int per_octave,
                                     std::int64_t multiple) {
  std::vector<std::int64_t> sizes;
  const std::int64_t last = std::max(to / multiple, std::int64_t{1}) * multiple;
  const auto rounded = [&](double size) {
    const std::int64_t units = std::llround(size / static_cast<double>(multiple));
    return std::clamp(units * multiple, multiple, last);
  };
  const double octaves = std::log2(static_cast<double>(to) / static_cast<double>(from));
  const int steps = std::max(0, static_cast<int>(std::floor(octaves * per_octave + 1e-9)));
  for (int step = 0; step <= steps; ++step) {
    sizes.push_back(rounded(static_cast<double>(from) * std::exp2(1.0 * step / per_octave)));
  }
  sizes.push_back(last);
  sort_unique(sizes);
  return sizes;
}

}  // namespace bankfull::probe
