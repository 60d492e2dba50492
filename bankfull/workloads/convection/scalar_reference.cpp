#include "bankfull/workloads/convection/scalar_reference.hpp"

#include "bankfull/workloads/convection/scalar_range.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace bankfull::convection {
namespace {

WallScalar less(WallScalar wall, double reference) {
  wall.value -= wall.is_flux ? 0.0 : reference;
  return wall;
}

/// T is given as the sums of T less its reference.
void add_reference(const Problem& stepped, const Scalar& scalar, const Vector& mean_velocity,
                   Diagnosis::OfScalar& sums) {
  const double reference = scalar.reference;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisCells& cells = stepped.axes[axis];
    if (cells.periodic) {
      sums.transport[axis] += reference * mean_velocity[axis];
    }
  }
  sums.mean_square += reference * (2.0 * sums.mean + reference);
  sums.mean += reference;
  sums.min += reference;
  sums.max += reference;
  sums.wall_production += reference * (sums.supply - sums.mean_source);
  sums.source_production += reference * sums.mean_source;
}

double inflow_of(const Problem& problem, const Diagnosis::OfScalar& scalar) {
  double sum = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = problem.axes[axis].upper - problem.axes[axis].lower;
    sum += (scalar.inflow[axis][0] + scalar.inflow[axis][1]) / length;
  }
  return sum;
}

}  // namespace

double reference_value(const Problem& problem, const Scalar& scalar) {
  const std::optional<ScalarRange> on_walls = range_on_fixed_walls_at_start(problem, scalar);
  if (scalar.advection == Advection::bounded) {
    const double least = std::min(sampled_range(problem, scalar.initial).least,
                                  on_walls ? on_walls->least : HUGE_VAL);
    return std::isfinite(least) ? least : 0.0;
  }
  const ScalarRange range = on_walls ? *on_walls : sampled_range(problem, scalar.initial);
  const double nearest = std::max(range.least, -range.most);
  const bool is_far = nearest > range.most - range.least && std::isfinite(nearest);
  return is_far ? range.least + 0.5 * (range.most - range.least) : 0.0;
}

Problem stepped_problem(Problem problem) {
  std::vector<double> references;
  references.reserve(problem.scalars.size());
  for (const Scalar& scalar : problem.scalars) {
    references.push_back(reference_value(problem, scalar));
  }
  for (std::size_t s = 0; s < references.size(); ++s) {
    Scalar& scalar = problem.scalars[s];
    scalar.reference = references[s];
    if (scalar.reference == 0.0) {
      continue;
    }
    for (auto& walls : scalar.walls) {
      walls = {less(walls[0], scalar.reference), less(walls[1], scalar.reference)};
    }
    scalar.initial = [whole = std::move(scalar.initial), by = scalar.reference](double x, double y,
                                                                                double z) {
      return (whole ? whole(x, y, z) : 0.0) - by;
    };
  }
  return problem;
}

void add_references(const Problem& stepped, Diagnosis& flow) {
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    const Scalar& scalar = stepped.scalars[s];
    Diagnosis::OfScalar& sums = flow.scalars[s];
    sums.supply = inflow_of(stepped, sums) + sums.mean_source;
    sums.reference = scalar.reference;
    sums.less_reference = {.mean = sums.mean,
                           .mean_square = sums.mean_square,
                           .wall_production = sums.wall_production,
                           .source_production = sums.source_production};
    if (scalar.reference == 0.0) {
      continue;
    }
    add_reference(stepped, scalar, flow.mean_velocity, sums);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      flow.buoyancy_work += stepped.axes[axis].periodic ? scalar.buoyancy[axis] * scalar.reference *
                                                              flow.mean_velocity[axis]
                                                        : 0.0;
    }
  }
}

}  // namespace bankfull::convection
