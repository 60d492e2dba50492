#pragma once

#include "bankfull/app/toml_section.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <string>

namespace bankfull::convect {

/// A number or a formula of x, y, z (see compile_expression) under `key`; an empty function, zero
/// everywhere, where there is none or where it is the number 0.
convection::PointFunction read_formula(const TomlSection& section, const std::string& key);

/// The same for a list of three, along x, y and z.
std::array<convection::PointFunction, 3> read_formulas(const TomlSection& section,
                                                       const std::string& key);

}  // namespace bankfull::convect
