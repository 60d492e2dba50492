#pragma once

#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/metrics.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// All fields of a flow on the host, in fp64: velocity along the storage axes 0, 1, 2, then the
/// scalars. Element (i, j, k) of each at (i nj + j) nk + k.
struct FlowState {
  std::vector<std::vector<double>> fields;
};

/// The fields that a problem starts from, noise included, as initial conditions give them.
FlowState initial_state(const Problem& problem, const Grid& grid);

/// The buoyancy of scalars at reference values, between those of their walls or, where no wall has
/// one, in the middle of the box: along axes with walls, 0 along others. Pressure balances it
/// there, whatever it is. To leave it out keeps the pressure small, which counts in single
/// precision.
Vector reference_acceleration(const Problem& problem);

/// What the fluid of a problem is, along storage axes.
template <class Real>
Medium<Real> medium_of(const Problem& problem, const Grid& grid) {
  Medium<Real> medium;
  medium.viscosity = static_cast<Real>(problem.viscosity);
  medium.scalar_count = static_cast<int>(problem.scalars.size());
  const Vector reference = reference_acceleration(problem);
  for (const int n : storage_axes) {
    const auto along = static_cast<std::size_t>(grid.physical(n));
    medium.implicit_along[n] = problem.implicit_along()[along];
    medium.reference[n] = static_cast<Real>(reference[along]);
    medium.twice_rotation[n] = static_cast<Real>(2.0 * grid.handedness() * problem.rotation[along]);
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      medium.scalars[s].diffusivity = static_cast<Real>(problem.scalars[s].diffusivity);
      const double buoyancy = problem.scalars[s].buoyancy[along];
      medium.scalars[s].buoyancy[n] = static_cast<Real>(buoyancy);
      medium.scalars[s].total_buoyancy += static_cast<Real>(std::abs(buoyancy));
    }
  }
  return medium;
}

/// Metrics at every index along an axis.
template <class Real>
std::vector<AxisMetric<Real>> metrics_of(const GridAxis& axis) {
  std::vector<AxisMetric<Real>> metrics;
  const std::vector<double>& widths = axis.cells.widths;
  const std::size_t count = widths.size();
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t beyond = axis.cells.periodic ? count - 1 : 0;
    const double before = n == 0 ? widths[beyond] : widths[n - 1];
    const auto face = static_cast<std::int64_t>(n);
    metrics.push_back({.per_cell = static_cast<Real>(1.0 / widths[n]),
                       .per_cell_before = static_cast<Real>(1.0 / before),
                       .per_face = static_cast<Real>(1.0 / axis.cells.distance(face)),
                       .per_face_next = static_cast<Real>(1.0 / axis.cells.distance(face + 1)),
                       .weight = static_cast<Real>(before / (before + widths[n]))});
  }
  return metrics;
}

/// Steady accelerations and sources at every element, as FlowState's fields; a field without any is
/// empty.
std::vector<std::vector<double>> steady_sources(const Problem& problem, const Grid& grid);

/// Which of a field's elements lie on a wall, where velocity through it is zero.
bool lies_on_wall(const Grid& grid, int field, std::int64_t i, std::int64_t j, std::int64_t k);

}  // namespace bankfull::convection
