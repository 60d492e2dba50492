#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/npb/plan.hpp"
#include "bankfull/workloads/npb/report.hpp"

namespace bankfull::npb {

/// Runs the problem's kernels one after the other: set-up, NPB's untimed pass, timed repeats, each
/// of them verified. The result's attachment is a std::vector<Outcome>: what the result blocks say,
/// in the order of the kernels.
///
/// Throws RuntimeFailure where the machine fails; a failed verification is part of the result.
RunResult run(const Plan& plan, const RunContext& context);

}  // namespace bankfull::npb
