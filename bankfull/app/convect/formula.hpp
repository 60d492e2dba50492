#pragma once

#include "bankfull/app/toml_section.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <string>

namespace bankfull::convect {

/// A number or a formula of x, y, z (see compile_expression) under `key`; an empty function, zero
/// everywhere, where there is none or where it is the number 0.
convection::PointFunction read_formula(const TomlSection& section, const std::string& key);

/// A formula of t in quotes under `key`; null where there is none.
convection::TimeFunction read_time_formula(const TomlSection& section, const std::string& key);

/// The same for a list of three, along x, y and z, of which the number 0 is none.
std::array<convection::TimeFunction, 3> read_time_formulas(const TomlSection& section,
                                                           const std::string& key);

/// What acts on a field: a formula of x, y, z, and one of t that multiplies it.
struct Source {
  convection::PointFunction field;
  convection::TimeFunction factor;
};

/// As read_formula has it, or { formula, factor } with either of these: by itself a factor acts
/// everywhere alike.
Source read_source(const TomlSection& section, const std::string& key);
std::array<Source, 3> read_sources(const TomlSection& section, const std::string& key);

/// read_formula for a list of three, along x, y and z.
std::array<convection::PointFunction, 3> read_formulas(const TomlSection& section,
                                                       const std::string& key);

}  // namespace bankfull::convect
