#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"
#include "bankfull/workloads/hpcg/plan.hpp"

namespace bankfull::hpcg {

/// Runs the whole benchmark: set-up, reference, optimisation, validation, timed sets.
///
/// Throws RuntimeFailure if the machine fails; a failed check is part of the result. The data of
/// the official report are attached to it: `attached<Outcome>()`.
///
/// Collective: all ranks get the same result.
RunResult run(const Plan& plan, const RunContext& context);

}  // namespace bankfull::hpcg
