#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>
#include <string>

namespace bankfull::himeno {

/// A valid problem on given ranks, with everything that follows from both. Code that is given a
/// plan does not decide any of it again.
struct Plan {
  Problem problem;
  Domain domain;                 ///< of this rank
  std::int64_t field_bytes = 0;  ///< of this rank's fields
  Footprint footprint;
  std::string shortage = {};  ///< lack of memory, if make_plan was to report it; else empty

  [[nodiscard]] const Decomposition& decomposition() const { return domain.decomposition; }
};

/// Collective. Throws UsageError if the problem is invalid, cannot be divided among the ranks, or
/// does not fit a device's or a node's memory (unless that is only to be reported); the message
/// names the largest standard size that fits.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

}  // namespace bankfull::himeno
