#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

namespace bankfull::hpcg {

/// Runs the whole benchmark: set-up, reference, optimisation, validation, timed sets.
///
/// Throws UsageError for a problem that `validate` rejects and RuntimeFailure where the machine
/// fails; a failed check is part of the result. `outcome` gets what the official report says.
///
/// Collective: all ranks get the same result.
RunResult run(const Problem& problem, const Communicator& ranks, Progress& progress,
              Outcome& outcome);

}  // namespace bankfull::hpcg
