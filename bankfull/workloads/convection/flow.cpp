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

void require_moderate(const FieldFormula& formula, const Vector& place, double found) {
  if (!is_moderate(found)) {
    throw UsageError(fmt::format("{} is {} at ({:g}, {:g}, {:g})", formula.what, found, place[0],
                                 place[1], place[2]),
                     fmt::format("give a formula that is finite in the whole box, and at most {:g}",
                                 max_magnitude))
        .about(formula.setting);
  }
}

void require_moderate(const FieldFormula& formula, const Grid& grid, int field, const Box& part,
                      const double* values) {
  const double* value = values;
  for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    require_moderate(formula, grid.place(field, i, j, k), *value++);
  });
}

/// The function and noise at every element of a part, 0 on walls that a velocity would go through.
/// Throws UsageError where that is not finite, or too large.
void sample(const FieldFormula& formula, const Problem& problem, const Grid& grid, int field,
            const Box& part, double* values) {
  const Extents n = part.extents();
  std::exception_ptr failure;
  bool all_moderate = true;
#pragma omp parallel num_threads(problem.host_threads) reduction(&& : all_moderate)
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
        all_moderate = all_moderate && is_moderate(value);
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
  if (!all_moderate) {
    require_moderate(formula, grid, field, part, values);
  }
}

/// What a field starts from.
FieldFormula initial_of(const Problem& problem, const Grid& grid, int field) {
  if (field < 3) {
    const auto axis = static_cast<std::size_t>(grid.physical(field));
    return {problem.initial_velocity[axis], problem.noise,
            fmt::format("the initial velocity along {}", axis_names[axis]), "initial.velocity"};
  }
  const Scalar& scalar = problem.scalars[static_cast<std::size_t>(field - 3)];
  return {scalar.initial, 0.0, "the initial " + scalar.name, "initial." + scalar.name};
}

/// Its steady acceleration or source.
FieldFormula source_of(const Problem& problem, const Grid& grid, int field) {
  if (field < 3) {
    const auto axis = static_cast<std::size_t>(grid.physical(field));
    return {problem.force[axis], 0.0, fmt::format("the acceleration along {}", axis_names[axis]),
            "forcing.acceleration"};
  }
  const Scalar& scalar = problem.scalars[static_cast<std::size_t>(field - 3)];
  return {scalar.source, 0.0, "the source of " + scalar.name, "forcing." + scalar.name};
}

/// Some of the indices below a count, in order: both ends, and as many in between as keep the cube
/// of their number quick to go through.
std::vector<std::int64_t> some_of(std::int64_t count) {
  constexpr std::int64_t most = 33;
  const std::int64_t parts = std::min(count, most) - 1;
  std::vector<std::int64_t> indices{0};
  for (std::int64_t n = 1; n <= parts; ++n) {
    indices.push_back((count - 1) * n / parts);
  }
  return indices;
}

void require_finite_at_some_places(const FieldFormula& formula, const Grid& grid, int field) {
  const Extents n = grid.extents();
  for (const std::int64_t i : some_of(n.ni)) {
    for (const std::int64_t j : some_of(n.nj)) {
      for (const std::int64_t k : some_of(n.nk)) {
        if (formula.function && !lies_on_wall(grid, field, i, j, k)) {
          const Vector place = grid.place(field, i, j, k);
          require_moderate(formula, place, formula.function(place[0], place[1], place[2]));
        }
      }
    }
  }
}

}  // namespace

bool lies_on_wall(const Grid& grid, int field, std::int64_t i, std::int64_t j, std::int64_t k) {
  if (field > 2 || grid.axis(field).cells.periodic) {
    return false;
  }
  const std::array<std::int64_t, 3> index{i, j, k};
  return index[static_cast<std::size_t>(field)] == 0;
}

double middle_value(const Problem& problem, const Scalar& scalar) {
  const auto middle = [](const AxisCells& axis) { return 0.5 * (axis.lower + axis.upper); };
  const Vector centre{middle(problem.axes[0]), middle(problem.axes[1]), middle(problem.axes[2])};
  double least = HUGE_VAL;
  double most = -HUGE_VAL;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallScalar& wall : scalar.walls[axis]) {
      if (!problem.axes[axis].periodic && wall.is_fixed()) {
        const double value = wall.value + wall.slope[0] * centre[0] + wall.slope[1] * centre[1] +
                             wall.slope[2] * centre[2] + value_at(wall.varying, 0.0);
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
  sample(initial_of(*problem_, *grid_, field), *problem_, *grid_, field, part, values);
}

FlowState initial_state(const Problem& problem, const Grid& grid) {
  return InitialFlow(problem, grid).whole(grid, 3 + static_cast<int>(problem.scalars.size()));
}

std::int64_t planes_of_a_piece(const Extents& cells) {
  constexpr std::int64_t values = std::int64_t{1} << 23;
  return std::clamp<std::int64_t>(values / (cells.nj * cells.nk), 1, cells.ni);
}

std::vector<std::vector<double>> steady_sources(const Problem& problem, const Grid& grid) {
  return steady_sources(problem, grid, box_of(grid.extents()));
}

std::vector<std::vector<double>> steady_sources(const Problem& problem, const Grid& grid,
                                                const Box& part) {
  std::vector<std::vector<double>> sources;
  for (int field = 0; field < 3 + static_cast<int>(problem.scalars.size()); ++field) {
    std::vector<double>& values = sources.emplace_back();
    if (const FieldFormula formula = source_of(problem, grid, field); formula.function) {
      values.resize(static_cast<std::size_t>(part.extents().count()));
      sample(formula, problem, grid, field, part, values.data());
    }
  }
  return sources;
}

void require_finite_formulas(const Problem& problem, const Grid& grid) {
  for (int field = 0; field < 3 + static_cast<int>(problem.scalars.size()); ++field) {
    require_finite_at_some_places(initial_of(problem, grid, field), grid, field);
    require_finite_at_some_places(source_of(problem, grid, field), grid, field);
  }
}

}  // namespace bankfull::convection
