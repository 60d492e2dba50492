#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <cstddef>
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

/// The axis along which a scalar passes from wall to wall: of the walls of fixed values that differ
/// most or, where none do, of walls neither of which is insulating, z before y before x. Nothing
/// where there are none.
std::optional<std::size_t> flux_axis(const Problem& problem, std::size_t scalar);

/// How much of a scalar passes along an axis: fluxes are positive along it, in units of the scalar
/// times velocity.
struct ScalarFluxes {
  double lower = 0.0;       ///< flux through the lower wall, into the fluid
  double upper = 0.0;       ///< and through the upper one, out of it
  double volume = 0.0;      ///< in the mean over the volume: u T - kappa dT/dz
  double difference = 0.0;  ///< of the scalar, the mean on the lower wall less that on the upper
  double conducted = 0.0;   ///< what diffusion alone would carry with this difference

  /// A flux over that, the Sherwood number, of a temperature the Nusselt number; with walls of
  /// fixed flux too (J. Otero et al., J. Fluid Mech. 473, 2002). Nothing without a difference.
  [[nodiscard]] std::optional<double> sherwood(double flux) const {
    return conducted == 0.0 ? std::nullopt : std::optional(flux / conducted);
  }
};

ScalarFluxes scalar_fluxes(const Problem& problem, std::size_t scalar, std::size_t axis,
                           const Diagnosis& flow);

/// The columns of a scalar's passage in a series, after its name; empty where nothing passes from
/// wall to wall.
struct NamedNumber {
  const char* name = "";
  std::optional<double> value;
};
std::array<NamedNumber, 7> scalar_flux_figures(const Problem& problem, std::size_t scalar,
                                               const Diagnosis& flow);

/// sqrt(mean of u^2) L / nu. L: along the path of heat or, without one, along the axis of the
/// largest buoyancy, or else z. Nothing without viscosity.
std::optional<double> reynolds_number(const Problem& problem, const Diagnosis& flow);

}  // namespace bankfull::convection
