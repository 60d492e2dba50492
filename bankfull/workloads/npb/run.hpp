#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/npb/plan.hpp"
#include "bankfull/workloads/npb/report.hpp"

namespace bankfull::npb {

/// Runs the problem's kernels one after the other: set-up, NPB's untimed pass, and timed repeats,
/// each verified. The result's attachment is a std::vector<Outcome>, the data of the result blocks
/// in the order of the kernels.
///
/// Throws RuntimeFailure if the machine fails; a failed verification is part of the result.
RunResult run(const Plan& plan, const RunContext& context);

}  // namespace bankfull::npb
