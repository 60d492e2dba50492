#pragma once

#include "bankfull/app/toml_section.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convect {

/// Refuses unknown keys of section [physics].
void allow_physics(const TomlSection& physics);

/// Whether a case has a temperature: it has one where [physics] says how it diffuses.
bool has_temperature(const TomlSection& physics);

/// Reads section [physics] into viscosity, rotation and, with a temperature, which is the first
/// scalar, its diffusivity and buoyancy. Box and walls of the problem are set before.
///
/// With a Rayleigh number Ra = g alpha dT L^3 / (nu kappa) and a Prandtl number Pr = nu / kappa one
/// of three scalings fixes the unit of time:
///
///   diffusive  kappa = 1, so that nu = Pr
///   viscous    nu = 1, so that kappa = 1 / Pr
///   free-fall  g alpha dT = 1, so that nu = sqrt(Pr L^3 / Ra)
///
/// and always kappa = nu / Pr, g alpha = Ra nu kappa / (dT L^3). Returns the direction upwards, of
/// length 1.
convection::Vector read_physics(TomlSection& physics, convection::Problem& problem);

/// Whether a direction is that of axis `axis`, up or down it.
bool is_along(const convection::Vector& direction, std::size_t axis);

}  // namespace bankfull::convect
