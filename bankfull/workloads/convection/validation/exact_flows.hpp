#pragma once

#include "bankfull/workloads/convection/validation/setting.hpp"

#include <vector>

namespace bankfull::convection {

/// Flows that are known everywhere: decaying vortices, and manufactured flows between all kinds of
/// walls, by which the order of the errors in space and in time is found.
std::vector<Check> check_exact_flows(const ValidationSetting& setting);

}  // namespace bankfull::convection
