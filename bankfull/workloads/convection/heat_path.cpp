#include "bankfull/workloads/convection/heat_path.hpp"

#include <cmath>

namespace bankfull::convection {
namespace {

double middle_of(const AxisCells& axis) { return 0.5 * (axis.lower + axis.upper); }

/// Mean temperature of a wall across `axis`, at `place` along it.
double wall_mean(const Problem& problem, std::size_t axis, double place, const WallScalar& wall) {
  double mean = wall.value;
  for (std::size_t b = 0; b < 3; ++b) {
    mean += wall.slope[b] * (b == axis ? place : middle_of(problem.axes[b]));
  }
  return mean;
}

}  // namespace

std::unique_ptr<HeatPath> heat_path_of(const Problem& problem) {
  std::unique_ptr<HeatPath> found;
  if (problem.scalars.empty()) {
    return found;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& [lower, upper] = problem.scalars.front().walls[axis];
    const AxisCells& cells = problem.axes[axis];
    if (cells.periodic || lower.is_flux || upper.is_flux) {
      continue;
    }
    const double difference =
        wall_mean(problem, axis, cells.lower, lower) - wall_mean(problem, axis, cells.upper, upper);
    const double most = found ? std::abs(found->difference) : 0.0;
    if (std::abs(difference) > most) {
      found = std::make_unique<HeatPath>(HeatPath{axis, difference, cells.upper - cells.lower});
    }
  }
  return found;
}

Nusselt nusselt_of(const HeatPath& path, double diffusivity, const Diagnosis& diagnosis) {
  const Diagnosis::OfScalar& scalar = diagnosis.scalars.front();
  const double conducted = diffusivity * path.difference / path.length;
  return {.lower = scalar.inflow[path.axis][0] / conducted,
          .upper = -scalar.inflow[path.axis][1] / conducted,
          .volume = 1.0 + scalar.transport[path.axis] / conducted};
}

}  // namespace bankfull::convection
