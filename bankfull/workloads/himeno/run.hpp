#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/himeno/plan.hpp"

namespace bankfull::himeno {

/// Verifies every schedule of the problem and times the schedules, alternating between them.
///
/// Follows the official protocol: trial iterations, then as many as fill the time, continuing from
/// the same state. If the problem fixes the number of iterations, every repeat begins with the
/// official state, so that gosa is that of exactly this many. Throws RuntimeFailure if the machine
/// fails; a failed verification is part of the result.
///
/// Collective: all ranks get the same result.
RunResult run(const Plan& plan, const RunContext& context);

}  // namespace bankfull::himeno
