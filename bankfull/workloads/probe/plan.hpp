#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cstdint>

namespace bankfull::probe {

/// A valid problem without blanks, and what follows from it. Nothing that gets one decides any of
/// it again.
struct Plan {
  Problem problem;
  std::int64_t ceiling_bytes = 0;  ///< of the ceiling that the bandwidth part measures twice
  Footprint footprint;
};

/// Throws UsageError where a part does not run on so many ranks.
void require_rank_count(Part part, const Communicator& ranks);

/// Collective: fills in the blanks of a problem. Throws UsageError for one that makes no sense,
/// does not fit its own limit or the memory, or does not run on these ranks.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic);

/// What a completed problem holds at a time, at most, but for ceilings.
WorkBytes work_bytes(const Problem& problem);

}  // namespace bankfull::probe
