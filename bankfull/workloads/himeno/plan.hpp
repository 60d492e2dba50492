#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>
#include <string>

namespace bankfull::himeno {

/// A valid problem on given ranks with what follows from both. Nothing that gets one decides any of
/// it again.
struct Plan {
  Problem problem;
  Domain domain;                 ///< of this rank
  std::int64_t field_bytes = 0;  ///< of this rank's fields
  Footprint footprint;
  std::string shortage = {};  ///< of memory, where make_plan was to tell it; else empty

  [[nodiscard]] const Decomposition& decomposition() const { return domain.decomposition; }
};

/// Collective. Throws UsageError where the problem makes no sense, cannot be cut for the ranks, or
/// does not fit a device's or a node's memory, unless that is to be told; the message names the
/// largest standard size that fits.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

}  // namespace bankfull::himeno
