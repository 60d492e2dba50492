#pragma once

#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"

#include <vector>

namespace bankfull::hpcg {

/// Whether what is solved is the benchmark's problem.
std::vector<Check> checks_of(const ProblemCheck& problem);

/// The checks of a run, those of the benchmark and ours. All pass if `outcome.valid()`; otherwise
/// at least one fails.
std::vector<Check> checks_of(const Outcome& outcome);

}  // namespace bankfull::hpcg
