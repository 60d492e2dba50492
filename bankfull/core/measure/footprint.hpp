#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_context.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace bankfull {

/// What the work of one rank takes where it takes most, in bytes.
struct WorkBytes {
  std::int64_t device = 0;       ///< of its device's memory, which is the host's for a CPU
  std::int64_t host = 0;         ///< of the host's beside that
  std::int64_t working_set = 0;  ///< what its ceilings are measured for; 0: no ceiling bounds it
};

/// The memory that a run holds at its peak, in bytes.
struct Footprint {
  std::int64_t device = 0;  ///< allocated on a GPU by all ranks on it; 0 on CPUs
  std::int64_t host = 0;    ///< resident on a node, of all ranks there

  /// Of the memory that holds the work.
  [[nodiscard]] std::int64_t of_work() const { return device > 0 ? device : host; }
};

/// What a plan does where the memory that is free does not suffice: a run is refused, a dry run
/// tells it.
enum class Shortage { refused, told };

/// Finds the footprints of runs: of their work, or of the ceilings that are measured before and
/// after it, whichever is larger, and of the program with its libraries. What `--dry-run` says,
/// what is refused and what a run takes are these numbers.
class Footprints {
 public:
  /// Collective. `threads` are those of this rank's team.
  Footprints(Device device, int threads, const Communicator& ranks, CeilingRule ceilings);

  [[nodiscard]] Footprint of(const WorkBytes& work) const;

  /// Whether the memory that is free now suffices.
  [[nodiscard]] bool fits(const Footprint& footprint) const;

  /// Collective. Where it does not suffice on some rank, throws UsageError (see `require_capacity`)
  /// or, if it is to be told, returns what that says; else returns "". `remedy` is asked for then
  /// only, because it may be long in the finding.
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
