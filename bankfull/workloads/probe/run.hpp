#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/probe/plan.hpp"

namespace bankfull::probe {

/// Collective: probes the memory system of the problem's device, or the links between ranks.
///
/// The result, the same on all ranks in its verdict, has curves as series, figures of the largest
/// sizes as measurements with the plateaus that the curves showed, and checks of what the kernels
/// wrote and of the chains.
RunResult run(const Plan& plan, const RunContext& context);

}  // namespace bankfull::probe
