#pragma once

#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include "jacobi/plan.hpp"

namespace bankfull::jacobi {

/// Times the smoother, checks it and compares it with the memory ceiling. One process only.
RunResult run(const Plan& plan, const RunContext& context);

}  // namespace bankfull::jacobi
