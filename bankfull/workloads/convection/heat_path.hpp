#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <memory>
#include <optional>

namespace bankfull::convection {

/// The axis along which a difference of temperature between two walls drives heat.
struct HeatPath {
  std::size_t axis = 2;     ///< x, y or z
  double difference = 0.0;  ///< temperature of the lower wall less that of the upper
  double length = 1.0;      ///< between the walls

  /// Acceleration of the fluid along the axis for each unit of temperature; 0 unless it points
  /// along the axis and nothing else drives the flow: no force, moving wall or other scalar.
  double buoyancy = 0.0;
};

/// Heat transport over what conduction alone would carry, 0 where nothing drives it. Between walls
/// of one temperature each, with no heat through others and no source, all are the same in a steady
/// flow, to rounding, and on average over time in any other.
struct Nusselt {
  double lower = 0.0;    ///< at the lower wall, by the gradient there
  double upper = 0.0;    ///< at the upper wall
  double volume = 0.0;   ///< 1 + mean of u T, by what the flow carries
  double thermal = 0.0;  ///< by the dissipation of temperature: eps_T L^2 / (kappa difference^2)

  /// By the dissipation of kinetic energy: 1 + eps_u L / (buoyancy kappa difference), where
  /// HeatPath::buoyancy is not 0.
  std::optional<double> kinetic;
};

/// For the first scalar: the pair of walls of fixed temperature that differ most; null where none
/// do.
std::unique_ptr<HeatPath> heat_path_of(const Problem& problem);

Nusselt nusselt_of(const HeatPath& path, double diffusivity, const Diagnosis& diagnosis);

}  // namespace bankfull::convection
