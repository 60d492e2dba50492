#pragma once

#include "bankfull/app/toml_section.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convect {

/// Reads section [boundaries] into the problem's periodic axes and walls; its scalars have their
/// names by then. Each axis is "periodic", or one table for both its walls, or a table `lower` and
/// a table `upper`:
///
///   x = "periodic"
///   y = { velocity = "free-slip", temperature = "insulating" }
///   z.lower = { velocity = "no-slip", temperature = 1 }
///   z.upper = { velocity = [1, 0, 0], temperature = { flux = -2 } }
///
/// velocity: "no-slip", "free-slip", that of a moving no-slip wall, or { velocity, slip_length }.
/// Each scalar by its name: the value on the wall; { value, slope = [x, y, z] }, linear along it; {
/// flux }, diffusivity times gradient, into the fluid; { transfer, surroundings, slope }, whose
/// flux is transfer times what the fluid at the wall is below the surroundings; "insulating". In
/// each table `varying`, a formula of t, is added to what is prescribed.
void read_boundaries(const TomlSection& boundaries, convection::Problem& problem);

/// Refuses key "temperature" where the problem has none, saying how to get one.
void refuse_stray_temperature(const TomlSection& section, const convection::Problem& problem);

}  // namespace bankfull::convect
