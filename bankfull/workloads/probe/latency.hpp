#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/memory/host_pages.hpp"
#include "bankfull/workloads/probe/chain.hpp"
#include "bankfull/workloads/probe/problem.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::probe {

/// A chain of pointers in the memory of one device, and one thread that follows it: each load
/// depends on the previous one.
class PointerChase {
 public:
  virtual ~PointerChase() = default;

  /// Builds a chain, replacing the last one, and places the thread at node 0. Node n points to
  /// `next[n]`. Requires a layout within the memory and as many entries as nodes.
  virtual void build(const ChainLayout& layout, const std::vector<std::uint32_t>& next) = 0;

  /// Follows the chain from node 0 until it is back there, and returns the number of loads; more
  /// than `most` if it is not back by then. Leaves caches as warm as the footprint lets them be.
  virtual std::int64_t cycle_length(std::int64_t most) = 0;

  /// Seconds that `loads` loads take, starting where the last call stopped.
  virtual double seconds(std::int64_t loads) = 0;

  /// Part of the memory that lies in huge pages, 0 to 1; on a GPU 0.
  [[nodiscard]] virtual double share_in_huge_pages() const = 0;
};

/// Memory of `bytes` for chains, of the device that walks them. `pages` matters to the CPU only.
std::unique_ptr<PointerChase> make_chase(Device device, std::int64_t bytes, HostPages pages);

/// A thread of the CPU that walks chains in this host memory.
std::unique_ptr<PointerChase> make_chase_in(Memory memory);

/// A GPU that walks chains in memory of another device: pinned host memory, or that of a GPU to
/// which it has peer access.
std::unique_ptr<PointerChase> make_remote_chase(Device gpu, Device owner, std::int64_t bytes);

/// Latency by footprint for every walk of a completed problem: a series and a measurement each, and
/// a check that the chains were whole.
void measure_latency(const Problem& problem, const RunContext& context,
                     const Experiment& experiment, RunResult& result);

/// The same for these walks, as the latency part or as part of another one, within a budget.
void measure_walks(const Problem& problem, const std::vector<Walk>& all, const std::string& part,
                   const TimeBudget& budget, const RunContext& context,
                   const Experiment& experiment, RunResult& result);

namespace detail {
// Defined in latency_cuda.cu, which exists in builds with CUDA only.
std::unique_ptr<PointerChase> make_cuda_chase(Device gpu, Device owner, std::int64_t bytes);
}  // namespace detail

}  // namespace bankfull::probe
