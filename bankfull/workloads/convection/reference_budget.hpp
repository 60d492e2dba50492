#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convection {

/// A flow, and when it is.
struct FlowAtTime {
  FlowState state;
  double time = 0.0;
};

/// Sets all terms of the budgets of the kinetic energy and of the scalars' T and T^2 / 2 in
/// `found`, which has its scalars: by their definitions from the flow and from what the problem
/// says of its walls. Ghosts are not known here, and no schedule shares this code.
void add_reference_budgets(const Problem& problem, const Grid& grid, const FlowAtTime& flow,
                           Diagnosis& found);

}  // namespace bankfull::convection
