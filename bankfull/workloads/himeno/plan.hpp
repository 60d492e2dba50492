#pragma once

#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>

namespace bankfull {
class Communicator;
}

namespace bankfull::himeno {

/// A valid problem on given ranks with what follows from both. Nothing that gets one decides any of
/// it again.
struct Plan {
  Problem problem;
  Domain domain;                  ///< of this rank
  std::int64_t field_bytes = 0;   ///< of this rank's fields
  std::int64_t device_bytes = 0;  ///< of the device's memory: what all ranks on it need at most
  std::int64_t host_bytes = 0;    ///< likewise of the node's memory: on a CPU the same bytes, on
                                  ///< a GPU what the verification compares

  [[nodiscard]] const Decomposition& decomposition() const { return domain.decomposition; }
};

/// Collective. Throws UsageError where the problem makes no sense, cannot be cut for the ranks, or
/// does not fit a device's or a node's memory; the message names the largest standard size that
/// fits.
Plan make_plan(const Problem& problem, const Communicator& ranks);

}  // namespace bankfull::himeno
