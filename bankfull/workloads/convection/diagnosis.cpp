#include "bankfull/workloads/convection/diagnosis.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::convection {

bool Diagnosis::finite() const {
  const auto sound = [](const OfScalar& scalar) {
    return std::isfinite(scalar.mean) && std::isfinite(scalar.min) && std::isfinite(scalar.max);
  };
  return std::isfinite(courant_rate) && std::isfinite(kinetic_energy) &&
         std::isfinite(divergence) && std::all_of(scalars.begin(), scalars.end(), sound);
}

}  // namespace bankfull::convection
