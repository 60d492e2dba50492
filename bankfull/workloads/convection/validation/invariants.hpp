#pragma once

#include "bankfull/workloads/convection/validation/setting.hpp"

#include <vector>

namespace bankfull::convection {

/// What the discrete equations keep to rounding, what the pressure solvers leave, and the schedule
/// against others: the CPU's, or the serial reference.
std::vector<Check> check_invariants(const ValidationSetting& setting);

}  // namespace bankfull::convection
