#pragma once

#include "bankfull/workloads/convection/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace bankfull::convection {

/// What a flow is like at one time. All of it is found on the device.
///
/// The budgets are those of the discrete equations: with any walls, widths of cells and fields that
/// are free of divergence, the sums below are the rates of change to rounding, for the tendencies
/// of the scheme. Energies are for each mass, means are over the volume.
struct Diagnosis {
  double courant_rate = 0.0;    ///< max over the cells of advective_rate: Courant number / dt
  double fastest = 0.0;         ///< max |u| of any component
  Vector fastest_along = {};    ///< max |u| along x, y, z
  double kinetic_energy = 0.0;  ///< mean over the volume of |u|^2 / 2
  double divergence = 0.0;      ///< max |div u|
  Vector mean_velocity = {};    ///< mean over the volume along x, y, z

  /// Mean over the volume of |grad u|^2, 1 / time^2, but at walls: what a wall asks of the fluid
  /// beside it is nothing to a flow without viscosity.
  double mean_square_gradient = 0.0;

  // The budget of the kinetic energy, velocity^2 / time.
  double dissipation = 0.0;    ///< nu times the mean of |grad u|^2; what viscosity takes, >= 0
  double buoyancy_work = 0.0;  ///< of all scalars: sum of buoyancy . transport
  double wall_work = 0.0;      ///< of walls: mean over the volume of stress times velocity on them
  double force_work = 0.0;     ///< mean of f . u

  /// What the equations give the kinetic energy, for each time.
  [[nodiscard]] double energy_rate() const {
    return buoyancy_work + wall_work + force_work - dissipation;
  }

  struct OfScalar {
    double mean = 0.0;         ///< over the volume
    double mean_square = 0.0;  ///< over the volume
    double min = 0.0;
    double max = 0.0;
    Vector transport = {};  ///< mean over the volume of u T along x, y, z, as the scheme carries it

    /// Mean over each wall of kappa dT/dn, n out of the fluid: what flows in; 0 where periodic.
    std::array<std::array<double, 2>, 3> inflow = {};

    /// Mean over each wall of T there; 0 where periodic.
    std::array<std::array<double, 2>, 3> on_wall = {};

    // The budget of T^2 / 2, scalar^2 / time.
    double dissipation = 0.0;        ///< kappa times the mean of |grad T|^2, >= 0
    double wall_production = 0.0;    ///< by the walls: what flows in times T there, over the volume
    double source_production = 0.0;  ///< mean of source times T

    /// What bounded advection has added to the mean of (T - reference)^2 / 2 beside that, scalar^2,
    /// since the flow was loaded: mostly less than zero. It is no rate: it follows from whole
    /// stages. What it adds to the mean of T, through walls, is in the time scheme's part.
    double corrected_variance = 0.0;

    double mean_source = 0.0;  ///< over the volume
    double supply = 0.0;       ///< what walls and the source give the mean, for each time

    /// The terms of T less its reference, for sums that a large reference would round away. See
    /// Scalar::reference.
    struct LessReference {
      double mean = 0.0;
      double mean_square = 0.0;
      double wall_production = 0.0;
      double source_production = 0.0;
    };
    double reference = 0.0;
    LessReference less_reference;

    /// What the equations give T^2 / 2, for each time.
    [[nodiscard]] double variance_rate() const {
      return wall_production + source_production - dissipation;
    }
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
