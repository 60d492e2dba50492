#include "bankfull/workloads/convection/tally.hpp"

#include <numeric>

namespace bankfull::convection {
namespace {

Diagnosis::OfScalar scalar_of(const Grid& grid, const ScalarTally& tally) {
  Diagnosis::OfScalar scalar;
  scalar.mean = tally.sums[0];
  scalar.mean_square = tally.sums[1];
  scalar.max = tally.max[0];
  scalar.min = -tally.max[1];
  for (const int n : storage_axes) {
    const auto along = static_cast<std::size_t>(grid.physical(n));
    scalar.transport[along] = tally.sums[2 + n];
    scalar.inflow[along] = {tally.sums[5 + 2 * n], tally.sums[6 + 2 * n]};
    scalar.on_wall[along] = {tally.sums[15 + 2 * n], tally.sums[16 + 2 * n]};
  }
  scalar.dissipation = tally.sums[11];
  scalar.wall_production = tally.sums[12];
  scalar.source_production = tally.sums[13];
  scalar.mean_source = tally.sums[14];
  return scalar;
}

}  // namespace

Diagnosis diagnosis_of(const Problem& problem, const Grid& grid, const FlowTallies& tallies) {
  const FlowTally& flow = tallies.flow;
  Diagnosis found;
  found.kinetic_energy = flow.sums[0];
  found.dissipation = flow.sums[1];
  found.wall_work = flow.sums[2];
  found.force_work = flow.sums[3];
  found.mean_square_gradient = flow.sums[7];
  found.courant_rate = flow.max[0];
  found.divergence = flow.max[1];
  for (const int n : storage_axes) {
    const auto along = static_cast<std::size_t>(grid.physical(n));
    found.fastest_along[along] = flow.max[2 + n];
    found.mean_velocity[along] = flow.sums[4 + n];
    found.fastest = larger(flow.max[2 + n], found.fastest);
  }
  for (std::size_t s = 0; s < tallies.scalars.size(); ++s) {
    found.scalars.push_back(scalar_of(grid, tallies.scalars[s]));
    const Vector& buoyancy = problem.scalars[s].buoyancy;
    const Vector& transport = found.scalars.back().transport;
    found.buoyancy_work +=
        std::inner_product(buoyancy.begin(), buoyancy.end(), transport.begin(), 0.0);
  }
  return found;
}

}  // namespace bankfull::convection
