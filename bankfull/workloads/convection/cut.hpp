#pragma once

#include "bankfull/numerics/poisson/sharing.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convection {

/// How ranks share a grid: with the direct solver in slabs along storage axis 0, as it works. With
/// multigrid in blocks along storage axes 0 and 1, with the least communication of those cuts with
/// which it shares its finest level, if there is one; or as `wanted` says, if it names several
/// ranks along an axis.
///
/// Throws UsageError for what does not run on several ranks, and where some would have no cells.
poisson::Sharing sharing_of(const Problem& problem, const Grid& grid, PressureSolver solver,
                            const poisson::Sharing& wanted);

/// Throws UsageError where several GPUs would take longer for a step than one does.
void require_worth_sharing(const Problem& problem, PressureSolver solver, int ranks);

}  // namespace bankfull::convection
