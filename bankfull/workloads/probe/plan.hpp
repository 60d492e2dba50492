#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cstdint>
#include <string>

namespace bankfull::probe {

/// A valid problem without blanks, and what follows from it. Nothing that gets one decides any of
/// it again.
struct Plan {
  Problem problem;
  std::int64_t ceiling_bytes = 0;  ///< of the ceiling that the bandwidth part measures twice
  Footprint footprint;
  std::string shortage = {};  ///< of memory, where make_plan was to tell it; else empty
};

/// Throws UsageError where a part does not run on so many ranks.
void require_rank_count(Part part, const Communicator& ranks);

/// Collective: fills in the blanks of a problem. Throws UsageError for one that makes no sense,
/// does not fit its own limit or, unless that is to be told, the memory, or does not run on these
/// ranks.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

/// What a completed problem holds at a time, at most, but for ceilings.
WorkBytes work_bytes(const Problem& problem);

}  // namespace bankfull::probe
