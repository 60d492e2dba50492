#pragma once

#include "bankfull/workloads/convection/validation/setting.hpp"

#include <vector>

namespace bankfull::convection {

/// Steady flows in boxes: the square cavity heated from one side, the cube heated from below, and
/// the cavity with a lid that moves.
std::vector<Check> check_cavities(const ValidationSetting& setting);

}  // namespace bankfull::convection
