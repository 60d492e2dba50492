#pragma once

#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/streams.hpp"
#include "bankfull/core/memory/host_pages.hpp"
#include "bankfull/workloads/probe/chain.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::probe {

/// What to measure.
enum class Part {
  bandwidth,
  latency,
  chip,   ///< inside one processor
  peers,  ///< between the GPUs of one process
  link,   ///< between ranks
  all,    ///< what one rank can measure
};
std::vector<Part> all_parts();
std::string to_string(Part part);
Part parse_part(const std::string& text);

/// How the CPU stores: through the caches, bypassing them, or both, one after the other.
enum class Stores { ordinary, streaming, both };
std::vector<Stores> all_stores();
std::string to_string(Stores stores);
Stores parse_stores(const std::string& text);

/// All six named operations and the mix, in the order they are measured.
std::vector<StreamOperation> all_operations();
StreamOperation parse_operation(const std::string& text);

std::vector<std::string> names_of_pages();
std::string to_string(HostPages pages);
HostPages parse_pages(const std::string& text);

inline constexpr int max_repeats = 100'000;
inline constexpr int max_points_per_octave = 64;

/// What to probe; plain data. Zeros and empty lists stand for defaults that suit the device and are
/// filled in by `complete`. All sizes are in bytes.
struct Problem {
  Part part = Part::all;
  Device device;
  int threads = 1;     ///< of the CPU team that streams
  bool quick = false;  ///< fewer operations and points: seconds instead of a minute
  bool full = false;   ///< CPU: every point of every curve, however long that takes
  int repeats = 0;     ///< timed passes of a memory-level figure
  int points_per_octave = 0;
  std::int64_t memory_limit = 0;  ///< maximum memory held at a time; 0: half of the free memory

  // Bandwidth.
  std::vector<Precision> precisions;
  std::vector<StreamOperation> operations;
  std::vector<int> mix_reads;  ///< arrays read per array written, of StreamOperation::mix
  Stores stores = Stores::both;
  std::int64_t working_set_from = 0;  ///< of all arrays of a pass; for links, of a face
  std::int64_t working_set_to = 0;
  std::vector<int> team_sizes;      ///< CPU: numbers of threads to compare
  std::vector<int> grid_blocks;     ///< GPU: numbers of blocks per launch to compare
  std::vector<int> grid_threads;    ///< GPU: numbers of threads per block to compare
  std::vector<int> n_copy;          ///< concurrent streams of the multi-stream copy
  std::int64_t transfer_bytes = 0;  ///< GPU: size of a copy between host and device

  // Latency.
  std::vector<std::int64_t> strides;  ///< bytes of address space per node of a chain
  std::vector<HostPages> pages;       ///< CPU only
  std::int64_t footprint_from = 0;
  std::int64_t footprint_to = 0;

  // Links between ranks.
  Transport transport = Transport::automatic;  ///< automatic: every available one
};

/// Whether the problem measures this part. `all` excludes links, which need several ranks, whereas
/// the other parts need one, and peers where this process has fewer than two GPUs or probes a CPU.
bool has_part(const Problem& problem, Part part);

/// Bytes that a memory access moves between caches: each node of a chain has a line of its own.
std::int64_t line_bytes(Device device);

/// Throws UsageError if the request contradicts itself or the device.
void validate(const Problem& problem);

/// The problem, validated, with every default filled in for its device and the memory that is
/// free now.
Problem complete(Problem problem);

/// Maximum number of bytes between the arrays of a pass.
std::int64_t padding_bytes(const Problem& problem);

/// The patterns that the bandwidth part runs, in order.
std::vector<StreamPattern> patterns(const Problem& problem);

/// One series of the latency part: a stride and a kind of pages (ignored on a GPU).
struct Walk {
  std::int64_t stride = 0;
  HostPages pages = HostPages::huge;
  ChainOrder order = ChainOrder::random;
  bool in_host_memory = false;  ///< GPU: of pinned memory of the host instead of its own
};
std::vector<Walk> walks(const Problem& problem);

/// CPU: the walks that show what the hardware's prefetchers do: every order of a chain without
/// gaps, but for the random one where the latency part has that already.
std::vector<Walk> prefetch_walks(const Problem& problem);

/// The largest footprint of a walk: that of the problem, or less where the chain would have gaps
/// that matter, or where every load takes a microsecond.
std::int64_t footprint_to(const Problem& problem, const Walk& walk);

/// "stride 4 KiB, small pages", "stride 64 B, huge pages, in order".
std::string name_of(const Walk& walk, Device device);

/// Nodes of the longest chain: their lines fill the last-level cache four times. Larger footprints
/// have the same number, spread out.
std::int64_t max_nodes(Device device);

/// A completed problem as figures of a result.
std::vector<Figure> describe(const Problem& problem);

/// Sizes from `from` to `to`, equally spaced on a logarithmic axis, `per_octave` per doubling,
/// each rounded to a multiple of `multiple`; ascending, without duplicates, including both ends.
std::vector<std::int64_t> log_spaced(std::int64_t from, std::int64_t to, int per_octave,
                                     std::int64_t multiple);

}  // namespace bankfull::probe
