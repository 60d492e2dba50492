#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/probe/plan.hpp"

namespace bankfull::probe {

/// Collective: probes the memory system of the problem's device, or the links between ranks.
///
/// The result, whose verdict is the same on all ranks, has curves as series, measurements of the
/// largest sizes with the plateaus found in the curves, and checks of what the kernels
/// wrote and of the chains.
RunResult run(const Plan& plan, const RunContext& context);

}  // namespace bankfull::probe
