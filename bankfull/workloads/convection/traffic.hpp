#pragma once

#include "bankfull/workloads/convection/integrator.hpp"

#include <cstdint>

namespace bankfull::convection {

/// Least traffic of a stage's parts but for the pressure solve, which the solver states itself.
///
/// Advance reads all fields and their former tendencies and writes both, advanced: 4 words a field
/// and cell. Divergence reads three velocities and writes the right side: 4 words. Projection reads
/// the pressure, and reads and writes three velocities: 7 words. Ghosts: two words for each ghost
/// cell of each field.
StageTraffic stage_traffic(const Problem& problem, const Traffic& pressure);

}  // namespace bankfull::convection
