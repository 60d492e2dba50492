#pragma once

#include "bankfull/workloads/convection/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace bankfull::convection {

/// What a flow is like at one time. All of it is found on the device.
struct Diagnosis {
  double courant_rate = 0.0;    ///< max over the cells of advective_rate: Courant number / dt
  double fastest = 0.0;         ///< max |u| of any component
  Vector fastest_along = {};    ///< max |u| along x, y, z
  double kinetic_energy = 0.0;  ///< mean over the volume of |u|^2 / 2
  double divergence = 0.0;      ///< max |div u|

  struct OfScalar {
    double mean = 0.0;         ///< over the volume
    double mean_square = 0.0;  ///< over the volume
    double min = 0.0;
    double max = 0.0;
    Vector transport = {};  ///< mean over the volume of u T along x, y, z, as the scheme carries it

    /// Mean over each wall of kappa dT/dn, n out of the fluid: what flows in; 0 where periodic.
    std::array<std::array<double, 2>, 3> inflow = {};
  };
  std::vector<OfScalar> scalars;

  [[nodiscard]] bool finite() const {
    const auto sound = [](const OfScalar& scalar) {
      return std::isfinite(scalar.mean) && std::isfinite(scalar.min) && std::isfinite(scalar.max);
    };
    return std::isfinite(courant_rate) && std::isfinite(kinetic_energy) &&
           std::isfinite(divergence) && std::all_of(scalars.begin(), scalars.end(), sound);
  }
};

}  // namespace bankfull::convection
