#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/probe/problem.hpp"

namespace bankfull::probe {

/// Throws UsageError where a part does not run on so many ranks.
void require_rank_count(Part part, const Communicator& ranks);

/// Collective: `complete` on every rank, or its UsageError on all of them. Throws UsageError also
/// where links cannot be probed as the problem asks.
Problem complete(const Problem& problem, const Communicator& ranks);

/// Collective: probes the memory system of the problem's device, or the links between ranks.
///
/// The result, the same on all ranks in its verdict, has curves as series, figures of the largest
/// sizes as measurements with the plateaus that the curves showed, and checks of what the kernels
/// wrote and of the chains. Blanks of the problem are filled in as `complete` does. Throws
/// UsageError for a problem that makes no sense, does not fit or does not run on these ranks.
RunResult run(const Problem& problem, const RunContext& context);

}  // namespace bankfull::probe
