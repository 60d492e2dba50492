#pragma once

#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <array>
#include <vector>

namespace bankfull::convection {

/// Values of a quantity, evenly spaced in time.
struct Samples {
  double interval = 0.0;
  std::vector<double> values;

  [[nodiscard]] double duration() const { return interval * static_cast<double>(values.size()); }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double range() const;  ///< largest less least

  /// The mean time between the values' passing their mean upwards; NaN where they do so less than
  /// twice.
  [[nodiscard]] double period() const;
};

/// The Nusselt number of a flow as it is now, along its heat path.
Nusselt nusselt_now(TimedFlow& flow);

/// The mean of those at both walls.
double nusselt_at_walls(TimedFlow& flow);

/// The first scalar at a place, along each axis by the cubic through the four centres around it.
double scalar_at(TimedFlow& flow, const Vector& place);

/// A fluid of buoyancy 1 for each unit of temperature along z: lengths in those of the Rayleigh
/// number, velocities in those of free fall over that length.
Problem free_fall_problem(double rayleigh, double prandtl, std::array<AxisCells, 3> axes);

}  // namespace bankfull::convection
