#include "bankfull/workloads/convection/flow.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

/// What a field is made of, and how messages name it.
struct FieldFormula {
  const PointFunction& function;
  double noise = 0.0;
  std::string what;
  std::string setting;
};

/// Noise belongs to the place in the box, not to the order in memory.
double noise_at(const Problem& problem, const Grid& grid, int field,
                const std::array<std::int64_t, 3>& index) {
  std::int64_t number = grid.physical(field);
  for (const int physical : {2, 1, 0}) {
    const auto at = static_cast<std::size_t>(grid.storage(physical));
    number = number * problem.axes[static_cast<std::size_t>(physical)].cells + index[at];
  }
  return random_symmetric(problem.seed, static_cast<std::uint64_t>(number));
}

void require_finite(const FieldFormula& formula, const Grid& grid, int field, const Box& part,
                    const double* values) {
  const double* value = values;
  for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    if (const double found = *value++; !std::isfinite(found)) {
      const Vector place = grid.place(field, i, j, k);
      throw UsageError(fmt::format("{} is {} at ({:g}, {:g}, {:g})", formula.what, found, place[0],
                                   place[1], place[2]),
                       "give a formula that is finite in the whole box")
          .about(formula.setting);
    }
  });
}

/// The function and noise at every element of a part, 0 on walls that a velocity would go through.
/// Throws UsageError where that is not finite.
void sample(const FieldFormula& formula, const Problem& problem, const Grid& grid, int field,
            const Box& part, double* values) {
  const Extents n = part.extents();
  std::exception_ptr failure;
  bool all_finite = true;
#pragma omp parallel num_threads(problem.host_threads) reduction(&& : all_finite)
  try {
    const PointFunction function = formula.function;  // one call at a time
    const Range rows = my_share(n.ni * n.nj);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::int64_t i = part.i0 + row / n.nj;
      const std::int64_t j = part.j0 + row % n.nj;
      for (std::int64_t k = part.k0; k < part.k1; ++k) {
        double value = 0.0;
        if (!lies_on_wall(grid, field, i, j, k)) {
          const Vector place = grid.place(field, i, j, k);
          value = function ? function(place[0], place[1], place[2]) : 0.0;
          value +=
              formula.noise > 0.0 ? formula.noise * noise_at(problem, grid, field, {i, j, k}) : 0.0;
        }
        all_finite = all_finite && std::isfinite(value);
        values[row * n.nk + k - part.k0] = value;
      }
    }
  } catch (...) {
#pragma omp critical
    failure = std::current_exception();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  if (!all_finite) {
    require_finite(formula, grid, field, part, values);
  }
}

/// Between the values of a scalar's walls, in their middle, or in that of the box.
double middle_value(const Problem& problem, const Scalar& scalar) {
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
    const double middle = middle_value(problem, scalar);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double carried = problem.axes[axis].periodic ? -scalar.reference : middle;
      sum[axis] += scalar.buoyancy[axis] * carried;
    }
  }
  return sum;
}

FlowState FlowReader::whole(const Grid& grid, int fields) const {
  const Extents n = grid.extents();
  FlowState state;
  for (int field = 0; field < fields; ++field) {
    state.fields.emplace_back(static_cast<std::size_t>(n.count()));
    read(field, box_of(n), state.fields.back().data());
  }
  return state;
}

void KeptFlow::read(int field, const Box& part, double* values) const {
  const Extents n = grid_->extents();
  const std::vector<double>& kept = state_->fields[static_cast<std::size_t>(field)];
  for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    *values++ = kept[static_cast<std::size_t>((i * n.nj + j) * n.nk + k)];
  });
}

void InitialFlow::read(int field, const Box& part, double* values) const {
  if (field < 3) {
    const auto axis = static_cast<std::size_t>(grid_->physical(field));
    const FieldFormula formula{problem_->initial_velocity[axis], problem_->noise,
                               fmt::format("the initial velocity along {}", axis_names[axis]),
                               "initial.velocity"};
    sample(formula, *problem_, *grid_, field, part, values);
    return;
  }
  const Scalar& scalar = problem_->scalars[static_cast<std::size_t>(field - 3)];
  const FieldFormula formula{scalar.initial, 0.0, "the initial " + scalar.name,
                             "initial." + scalar.name};
  sample(formula, *problem_, *grid_, field, part, values);
}

FlowState initial_state(const Problem& problem, const Grid& grid) {
  return InitialFlow(problem, grid).whole(grid, 3 + static_cast<int>(problem.scalars.size()));
}

std::int64_t planes_of_a_piece(const Extents& cells) {
  constexpr std::int64_t values = std::int64_t{1} << 23;
  return std::clamp<std::int64_t>(values / (cells.nj * cells.nk), 1, cells.ni);
}

std::vector<std::vector<double>> steady_sources(const Problem& problem, const Grid& grid) {
  std::vector<std::vector<double>> sources;
  const auto add = [&](const PointFunction& function, int field, const std::string& what,
                       const std::string& setting) {
    std::vector<double>& values = sources.emplace_back();
    if (function) {
      values.resize(static_cast<std::size_t>(grid.extents().count()));
      const FieldFormula formula{.function = function, .what = what, .setting = setting};
      sample(formula, problem, grid, field, box_of(grid.extents()), values.data());
    }
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
