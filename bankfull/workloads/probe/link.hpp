#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::probe {

/// Ranks that exchange faces with each other while all others wait.
struct LinkPattern {
  std::vector<int> ranks;  ///< ascending, from 0
  bool ring = false;       ///< the last is the neighbour of the first

  [[nodiscard]] bool includes(int rank) const;
};

/// "pair 0-3", "ring".
std::string to_string(const LinkPattern& pattern);

/// Rank 0 with each other rank, at most eight of them, then all ranks in a ring.
std::vector<LinkPattern> link_patterns(int ranks);

/// Bytes of the faces of a completed problem, ascending: the ends of its range and the powers of 4
/// between them; of 16 where it is quick.
std::vector<std::int64_t> face_sizes(const Problem& problem);

/// Ranks in a row that exchange faces of fp32 cells with their neighbours, in both directions.
struct LinkSetup {
  const Communicator& ranks;
  Transport transport = Transport::automatic;
  bool ring = false;
  std::int64_t face_bytes = 0;
};

/// The cells of one rank: two planes along i, one for each neighbour, each a row along k, so that a
/// face has no padding and its size can be any number of cells.
struct LinkGrid {
  explicit LinkGrid(const LinkSetup& setup);

  /// The set-up of the exchange that is timed; refers to both.
  [[nodiscard]] HaloSetup halo(const LinkSetup& setup) const;

  Decomposition decomposition;
  Layout layout;
};

/// Halo exchanges of one set-up. Making, using and destroying one is collective.
class LinkTimer {
 public:
  virtual ~LinkTimer() = default;

  /// Exchanges that are always done together.
  [[nodiscard]] virtual int exchanges_per_batch() const = 0;

  /// Seconds that so many batches take on this rank.
  virtual double seconds(int batches) = 0;

  /// What the field holds after a batch of exchanges that began with `cells`: as many as the
  /// layout has elements, ghosts and padding included.
  virtual std::vector<float> exchanged(const std::vector<float>& cells) = 0;
};

/// `threads` matters to the CPU only. Throws UsageError if the transport is unavailable.
std::unique_ptr<LinkTimer> make_link_timer(const LinkSetup& setup, Device device, int threads);

/// Collective: cells of this rank that do not hold what an exchange must leave there.
std::int64_t wrong_cells(LinkTimer& timer, const LinkSetup& setup);

/// Collective. Throws UsageError if the transport that a completed problem specifies is unavailable
/// between any of the ranks, or if the ranks of a node need more memory than it has.
void require_links(const Problem& problem, const Communicator& ranks);

/// Collective: every pattern over every available transport, appended to the result of all ranks
/// alike: exchange time and bandwidth by message size (series), the smallest, the largest and the
/// 64 KiB exchange (measurements), and the cells that arrived wrong (checks).
void measure_links(const Problem& problem, const RunContext& context, const Experiment& experiment,
                   RunResult& result);

namespace detail {
// Defined in link_cuda.cpp, which exists in builds with CUDA only.
std::unique_ptr<LinkTimer> make_cuda_link_timer(const LinkSetup& setup, Device gpu);
}  // namespace detail

}  // namespace bankfull::probe
