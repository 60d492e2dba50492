#pragma once

#include "bankfull/workloads/convection/profile_statistics.hpp"

#include <vector>

namespace bankfull::convection {

/// What averages of ProfileSample::means and ::beyond, one after the other, say of the flow: at
/// centres of cells and on faces across a storage axis. `references`: of what scalars were sampled
/// less of.
std::array<ProfileTable, 2> profile_tables(const Plan& plan, int axis,
                                           const std::vector<double>& averages,
                                           const std::vector<double>& references);

}  // namespace bankfull::convection
