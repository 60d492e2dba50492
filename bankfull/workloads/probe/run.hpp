#pragma once

#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/probe/problem.hpp"

namespace bankfull::probe {

/// Probes the memory system of the problem's device.
///
/// The result has curves as series, figures from memory as measurements with the plateaus that the
/// curves showed, and checks of what the kernels wrote and of the chains. Blanks of the problem are
/// filled in as `complete` does. Throws UsageError for a problem that makes no sense or does not
/// fit.
RunResult run(const Problem& problem, Progress& progress);

}  // namespace bankfull::probe
