#pragma once

// The public surface of bankfull::workloads, with that of numerics: of each workload its problem,
// the plan that follows from it, and run(plan, context).
#include "bankfull/numerics.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/run.hpp"
#include "bankfull/workloads/himeno/plan.hpp"
#include "bankfull/workloads/himeno/problem.hpp"
#include "bankfull/workloads/himeno/run.hpp"
#include "bankfull/workloads/hpcg/plan.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"
#include "bankfull/workloads/hpcg/run.hpp"
#include "bankfull/workloads/npb/plan.hpp"
#include "bankfull/workloads/npb/problem.hpp"
#include "bankfull/workloads/npb/run.hpp"
#include "bankfull/workloads/probe/plan.hpp"
#include "bankfull/workloads/probe/problem.hpp"
#include "bankfull/workloads/probe/run.hpp"
