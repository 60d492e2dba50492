#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_context.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace bankfull {

/// Peak memory of the work of one rank, in bytes.
struct WorkBytes {
  std::int64_t device = 0;       ///< device memory, which for a CPU is the host's
  std::int64_t host = 0;         ///< host memory in addition
  std::int64_t working_set = 0;  ///< for which ceilings are measured; 0: no ceiling bounds it
};

/// Peak memory of a run, in bytes.
struct Footprint {
  std::int64_t device = 0;  ///< allocated on a GPU by all ranks on it; 0 on CPUs
  std::int64_t host = 0;    ///< resident on a node, summed over its ranks

  /// Bytes of the memory that holds the work.
  [[nodiscard]] std::int64_t of_work() const { return device > 0 ? device : host; }
};

/// What a plan does if the free memory does not suffice: a run is refused, a dry run reports
/// it.
enum class Shortage { refused, reported };

/// Computes the footprint of a run: that of its work or of the ceilings measured before and
/// after it, whichever is larger, plus the program with its libraries. `--dry-run`, the refusal
/// for lack of memory and the run itself use the same numbers.
class Footprints {
 public:
  /// Collective. `threads` are those of this rank's team.
  Footprints(Device device, int threads, const Communicator& ranks, CeilingRule ceilings);

  /// The footprint if every rank on this node needs as much as this one.
  [[nodiscard]] Footprint of(const WorkBytes& work) const;

  /// Whether the memory that is now free suffices.
  [[nodiscard]] bool fits(const Footprint& footprint) const;

  /// Collective. If it does not suffice on some rank, throws UsageError (see `require_capacity`)
  /// or, for Shortage::reported, returns that message; otherwise returns "". `remedy` is called
  /// only then, because finding one may take long.
  std::string require(const Communicator& ranks, const Footprint& footprint,
                      const std::string& what, const std::function<std::string()>& remedy,
                      Shortage shortage = Shortage::refused) const;

  /// Ranks whose data are in the memory of this rank's device.
  [[nodiscard]] int sharing() const { return sharing_; }

 private:
  [[nodiscard]] std::int64_t ceilings(std::int64_t working_set) const;
  void require_here(const Footprint& footprint, const std::string& what,
                    const std::function<std::string()>& remedy) const;

  Device device_;
  int threads_;
  int sharing_;
  int on_node_;
  CeilingRule rule_;
};

/// "memory 1.2 GiB", or "memory 1.2 GiB on the GPU, 310 MiB on the host".
std::string to_string(const Footprint& footprint);

}  // namespace bankfull
