#include "bankfull/workloads/convection/tally.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::convection {
namespace {

Diagnosis::OfScalar scalar_of(const Grid& grid, const ScalarTally& tally) {
  Diagnosis::OfScalar scalar;
  scalar.mean = tally.sums[0];
  scalar.mean_square = tally.sums[1];
  scalar.most = tally.most[0];
  scalar.least = -tally.most[1];
  for (const int n : storage_axes) {
    const auto along = static_cast<std::size_t>(grid.physical(n));
    scalar.transport[along] = tally.sums[2 + n];
    scalar.inflow[along] = {tally.sums[5 + 2 * n], tally.sums[6 + 2 * n]};
  }
  return scalar;
}

}  // namespace

Diagnosis diagnosis_of(const Grid& grid, const FlowTally& flow,
                       const std::vector<ScalarTally>& scalars) {
  Diagnosis found;
  found.kinetic_energy = flow.sums[0];
  found.courant_rate = flow.most[0];
  found.divergence = flow.most[1];
  for (const int n : storage_axes) {
    found.fastest_along[static_cast<std::size_t>(grid.physical(n))] = flow.most[2 + n];
    found.fastest = larger(flow.most[2 + n], found.fastest);
  }
  for (const ScalarTally& scalar : scalars) {
    found.scalars.push_back(scalar_of(grid, scalar));
  }
  return found;
}

bool Diagnosis::finite() const {
  const auto sound = [](const OfScalar& scalar) {
    return std::isfinite(scalar.mean) && std::isfinite(scalar.least) && std::isfinite(scalar.most);
  };
  return std::isfinite(courant_rate) && std::isfinite(kinetic_energy) &&
         std::isfinite(divergence) && std::all_of(scalars.begin(), scalars.end(), sound);
}

}  // namespace bankfull::convection
