#pragma once

#include "bankfull/workloads/convection/validation/setting.hpp"

#include <vector>

namespace bankfull::convection {

/// By what a V-cycle reduces the residual on cubes of isotropic cells, at several sizes: small, and
/// the same for all of them.
std::vector<Check> check_multigrid_factors(const ValidationSetting& setting);

}  // namespace bankfull::convection
