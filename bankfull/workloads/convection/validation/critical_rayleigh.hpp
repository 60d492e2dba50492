#pragma once

#include "bankfull/workloads/convection/validation/setting.hpp"

#include <vector>

namespace bankfull::convection {

/// Where convection sets in, J. M. Cohen, M. J. Molemaker, "A fast double precision CFD code using
/// CUDA", Parallel CFD 2009, Table II and the cubic box: at each resolution against the critical
/// Rayleigh number of the discrete equations, and extrapolated against the exact one.
std::vector<Check> check_critical_rayleigh_numbers(const ValidationSetting& setting);

}  // namespace bankfull::convection
