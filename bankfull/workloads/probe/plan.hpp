#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cstdint>
#include <string>

namespace bankfull::probe {

/// A valid problem with all defaults filled in, and everything that follows from it. Code that is
/// given a plan does not decide any of it again.
struct Plan {
  Problem problem;
  std::int64_t ceiling_bytes = 0;  ///< for the ceiling that the bandwidth part measures twice
  Footprint footprint;
  std::string shortage = {};  ///< lack of memory, if make_plan was to report it; else empty
};

/// Throws UsageError if a part does not run on this many ranks.
void require_rank_count(Part part, const Communicator& ranks);

/// Collective: fills in the defaults of a problem. Throws UsageError if it is invalid, exceeds its
/// own limit or (unless that is only to be reported) the memory, or does not run on these
/// ranks.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

/// Maximum memory that a completed problem holds at a time, apart from ceilings.
WorkBytes work_bytes(const Problem& problem);

}  // namespace bankfull::probe
