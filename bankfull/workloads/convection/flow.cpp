#include "bankfull/workloads/convection/flow.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

/// function(place) at every element of a field, 0 on walls that a velocity would go through.
/// Throws UsageError naming `what`, about its setting, where that is not finite.
std::vector<double> sampled(const PointFunction& function, const Grid& grid, int field,
                            const std::string& what, const std::string& setting) {
  const Extents n = grid.extents();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(n.count()));
  for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const Vector place = grid.place(field, i, j, k);
    const bool zero = !function || lies_on_wall(grid, field, i, j, k);
    values.push_back(zero ? 0.0 : function(place[0], place[1], place[2]));
    if (!std::isfinite(values.back())) {
      throw UsageError(fmt::format("{} is {} at ({:g}, {:g}, {:g})", what, values.back(), place[0],
                                   place[1], place[2]),
                       "give a formula that is finite in the whole box")
          .about(setting);
    }
  });
  return values;
}

/// Noise belongs to the place in the box, not to the order in memory.
void add_noise(std::vector<double>& values, const Problem& problem, const Grid& grid, int field) {
  auto value = values.begin();
  for_cells(box_of(grid.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double& here = *value++;
    if (lies_on_wall(grid, field, i, j, k)) {
      return;
    }
    const std::array<std::int64_t, 3> index{i, j, k};
    std::int64_t number = grid.physical(field);
    for (const int physical : {2, 1, 0}) {
      const auto at = static_cast<std::size_t>(grid.storage(physical));
      number = number * problem.axes[static_cast<std::size_t>(physical)].cells + index[at];
    }
    here += problem.noise * random_symmetric(problem.seed, static_cast<std::uint64_t>(number));
  });
}

/// Between the values of a scalar's walls, in their middle, or in that of the box.
double reference_value(const Problem& problem, const Scalar& scalar) {
  const auto middle = [](const AxisCells& axis) { return 0.5 * (axis.lower + axis.upper); };
  const Vector centre{middle(problem.axes[0]), middle(problem.axes[1]), middle(problem.axes[2])};
  double least = HUGE_VAL;
  double most = -HUGE_VAL;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallScalar& wall : scalar.walls[axis]) {
      if (!problem.axes[axis].periodic && !wall.is_flux) {
        const double value = wall.value + wall.slope[0] * centre[0] + wall.slope[1] * centre[1] +
                             wall.slope[2] * centre[2];
        least = std::min(least, value);
        most = std::max(most, value);
      }
    }
  }
  if (most < least) {
    return scalar.initial ? scalar.initial(centre[0], centre[1], centre[2]) : 0.0;
  }
  return 0.5 * (least + most);
}

}  // namespace

bool lies_on_wall(const Grid& grid, int field, std::int64_t i, std::int64_t j, std::int64_t k) {
  if (field > 2 || grid.axis(field).cells.periodic) {
    return false;
  }
  const std::array<std::int64_t, 3> index{i, j, k};
  return index[static_cast<std::size_t>(field)] == 0;
}

Vector reference_acceleration(const Problem& problem) {
  Vector sum{};
  for (const Scalar& scalar : problem.scalars) {
    const double reference = reference_value(problem, scalar);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum[axis] += problem.axes[axis].periodic ? 0.0 : scalar.buoyancy[axis] * reference;
    }
  }
  return sum;
}

FlowState initial_state(const Problem& problem, const Grid& grid) {
  FlowState state;
  for (const int n : storage_axes) {
    const auto component = static_cast<std::size_t>(grid.physical(n));
    state.fields.push_back(sampled(
        problem.initial_velocity[component], grid, n,
        fmt::format("the initial velocity along {}", axis_names[component]), "initial.velocity"));
    if (problem.noise > 0.0) {
      add_noise(state.fields.back(), problem, grid, n);
    }
  }
  for (const Scalar& scalar : problem.scalars) {
    state.fields.push_back(
        sampled(scalar.initial, grid, 3, "the initial " + scalar.name, "initial." + scalar.name));
  }
  return state;
}

std::vector<std::vector<double>> steady_sources(const Problem& problem, const Grid& grid) {
  std::vector<std::vector<double>> sources;
  const auto add = [&](const PointFunction& function, int field, const std::string& what,
                       const std::string& setting) {
    sources.push_back(function ? sampled(function, grid, field, what, setting)
                               : std::vector<double>{});
  };
  for (const int n : storage_axes) {
    const auto axis = static_cast<std::size_t>(grid.physical(n));
    add(problem.force[axis], n, fmt::format("the acceleration along {}", axis_names[axis]),
        "forcing.acceleration");
  }
  for (const Scalar& scalar : problem.scalars) {
    add(scalar.source, 3, "the source of " + scalar.name, "forcing." + scalar.name);
  }
  return sources;
}

}  // namespace bankfull::convection
