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

bool lets_pass(const WallScalar& wall) {
  return !wall.is_flux || wall.flux != 0.0 || wall.varying != nullptr;
}

/// Between the walls of fixed values that differ most; its buoyancy is left out.
std::unique_ptr<HeatPath> path_between_values(const Problem& problem, const Scalar& scalar) {
  std::unique_ptr<HeatPath> found;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& [lower, upper] = scalar.walls[axis];
    const AxisCells& cells = problem.axes[axis];
    if (cells.periodic || !lower.is_fixed() || !upper.is_fixed()) {
      continue;
    }
    const double difference =
        wall_mean(problem, axis, cells.lower, lower) - wall_mean(problem, axis, cells.upper, upper);
    const double most = found ? std::abs(found->difference) : 0.0;
    if (std::abs(difference) > most) {
      found = std::make_unique<HeatPath>(
          HeatPath{.axis = axis, .difference = difference, .length = cells.upper - cells.lower});
    }
  }
  return found;
}

}  // namespace

std::unique_ptr<HeatPath> heat_path_of(const Problem& problem) {
  if (problem.scalars.empty()) {
    return nullptr;
  }
  std::unique_ptr<HeatPath> found = path_between_values(problem, problem.scalars.front());
  if (found) {
    found->buoyancy = lone_buoyancy(problem, found->axis);
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

std::optional<std::size_t> flux_axis(const Problem& problem, std::size_t scalar) {
  const Scalar& carried = problem.scalars[scalar];
  if (const auto path = path_between_values(problem, carried)) {
    return path->axis;
  }
  for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
    const auto& [lower, upper] = carried.walls[axis];
    if (!problem.axes[axis].periodic && lets_pass(lower) && lets_pass(upper)) {
      return axis;
    }
  }
  return std::nullopt;
}

ScalarFluxes scalar_fluxes(const Problem& problem, std::size_t scalar, std::size_t axis,
                           const Diagnosis& flow) {
  const Diagnosis::OfScalar& found = flow.scalars[scalar];
  const double length = problem.axes[axis].upper - problem.axes[axis].lower;
  const double difference = found.on_wall[axis][0] - found.on_wall[axis][1];
  const double conducted = problem.scalars[scalar].diffusivity * difference / length;
  return {.lower = found.inflow[axis][0],
          .upper = 0.0 - found.inflow[axis][1],  // no "-0" in tables
          .volume = found.transport[axis] + conducted,
          .difference = difference,
          .conducted = conducted};
}

std::array<NamedNumber, 7> scalar_flux_figures(const Problem& problem, std::size_t scalar,
                                               const Diagnosis& flow) {
  std::array<NamedNumber, 7> figures{{{"_flux_lower", {}},
                                      {"_flux_upper", {}},
                                      {"_flux_volume", {}},
                                      {"_difference", {}},
                                      {"_sherwood_lower", {}},
                                      {"_sherwood_upper", {}},
                                      {"_sherwood_volume", {}}}};
  if (const auto axis = flux_axis(problem, scalar)) {
    const ScalarFluxes found = scalar_fluxes(problem, scalar, *axis, flow);
    const std::array<std::optional<double>, 7> values{found.lower,
                                                      found.upper,
                                                      found.volume,
                                                      found.difference,
                                                      found.sherwood(found.lower),
                                                      found.sherwood(found.upper),
                                                      found.sherwood(found.volume)};
    for (std::size_t n = 0; n < figures.size(); ++n) {
      figures[n].value = values[n];
    }
  }
  return figures;
}

std::optional<double> reynolds_number(const Problem& problem, const Diagnosis& flow) {
  if (problem.viscosity == 0.0) {
    return std::nullopt;
  }
  std::size_t along = 2;
  double most = 0.0;
  for (const Scalar& scalar : problem.scalars) {
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
      if (std::abs(scalar.buoyancy[axis]) > most) {
        most = std::abs(scalar.buoyancy[axis]);
        along = axis;
      }
    }
  }
  if (const auto path = heat_path_of(problem)) {
    along = path->axis;
  }
  const double length = problem.axes[along].upper - problem.axes[along].lower;
  return std::sqrt(2.0 * flow.kinetic_energy) * length / problem.viscosity;
}

}  // namespace bankfull::convection
