#include "bankfull/workloads/convection/heat_path.hpp"

#include <algorithm>
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

/// Or takes energy from the fluid that slips along it.
bool any_wall_works(const Problem& problem) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallMotion& wall : problem.walls[axis]) {
      if (!problem.axes[axis].periodic && !wall.free_slip &&
          (wall.velocity != Vector{} || wall.slip_length > 0.0 ||
           std::ranges::any_of(wall.varying, [](const auto& part) { return part != nullptr; }))) {
        return true;
      }
    }
  }
  return false;
}

bool drives_flow(const Scalar& scalar) { return scalar.buoyancy != Vector{}; }

/// See HeatPath::buoyancy.
double lone_buoyancy(const Problem& problem, std::size_t axis) {
  Vector across = problem.scalars.front().buoyancy;
  across[axis] = 0.0;
  const auto is_set = [](const PointFunction& force) { return static_cast<bool>(force); };
  const bool others = across != Vector{} || any_wall_works(problem) ||
                      std::any_of(problem.force.begin(), problem.force.end(), is_set) ||
                      std::any_of(problem.scalars.begin() + 1, problem.scalars.end(), drives_flow);
  return others ? 0.0 : problem.scalars.front().buoyancy[axis];
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
    if (cells.periodic || !lower.is_fixed() || !upper.is_fixed()) {
      continue;
    }
    const double difference =
        wall_mean(problem, axis, cells.lower, lower) - wall_mean(problem, axis, cells.upper, upper);
    const double most = found ? std::abs(found->difference) : 0.0;
    if (std::abs(difference) > most) {
      found = std::make_unique<HeatPath>(HeatPath{.axis = axis,
                                                  .difference = difference,
                                                  .length = cells.upper - cells.lower,
                                                  .buoyancy = lone_buoyancy(problem, axis)});
    }
  }
  return found;
}

Nusselt nusselt_of(const HeatPath& path, double diffusivity, const Diagnosis& diagnosis) {
  const Diagnosis::OfScalar& scalar = diagnosis.scalars.front();
  const double conducted = diffusivity * path.difference / path.length;
  Nusselt found{.lower = scalar.inflow[path.axis][0] / conducted,
                .upper = -scalar.inflow[path.axis][1] / conducted,
                .volume = 1.0 + scalar.transport[path.axis] / conducted,
                .thermal = scalar.dissipation * path.length / (conducted * path.difference),
                .kinetic = {}};
  if (path.buoyancy != 0.0) {
    found.kinetic = 1.0 + diagnosis.dissipation / (path.buoyancy * conducted);
  }
  return found;
}

}  // namespace bankfull::convection
