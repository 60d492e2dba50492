#include "bankfull/workloads/convection/reference_diffusion.hpp"

#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/flow.hpp"

#include <algorithm>
#include <iterator>

namespace bankfull::convection {

ReferenceDiffusion::ReferenceDiffusion(const Problem& problem, const Grid& grid)
    : problem_(problem), grid_(grid), continuations_(continuations_of(problem, grid)) {
  for (const int axis : storage_axes) {
    along_[static_cast<std::size_t>(axis)] =
        problem.implicit_along()[static_cast<std::size_t>(grid.physical(axis))];
  }
  diffusivities_.assign(3, problem.viscosity);
  for (const Scalar& scalar : problem.scalars) {
    diffusivities_.push_back(scalar.diffusivity);
  }
}

ReferenceDiffusion::Weights ReferenceDiffusion::weights(bool on_faces, int axis,
                                                        std::int64_t n) const {
  const poisson::Axis& cells = grid_.axis(axis).cells;
  const double width = cells.widths[static_cast<std::size_t>(n)];
  if (!on_faces) {
    return {1.0 / (cells.distance(n) * width), 1.0 / (cells.distance(n + 1) * width)};
  }
  const double before = cells.widths[static_cast<std::size_t>(n == 0 ? n : n - 1)];
  return {1.0 / (before * cells.distance(n)), 1.0 / (width * cells.distance(n))};
}

double ReferenceDiffusion::rate(int field, const FieldView<double>& values, std::int64_t i,
                                std::int64_t j, std::int64_t k) const {
  double sum = 0.0;
  for (const int axis : storage_axes) {
    if (along(axis)) {
      const Weights weight = weights(field == axis, axis, Index{i, j, k}[std::size_t(axis)]);
      const double here = values(i, j, k);
      const double below = values(i - (axis == 0), j - (axis == 1), k - (axis == 2));
      const double above = values(i + (axis == 0), j + (axis == 1), k + (axis == 2));
      sum += weight.below * (below - here) + weight.above * (above - here);
    }
  }
  return diffusivities_[static_cast<std::size_t>(field)] * sum;
}

double ReferenceDiffusion::rate_of_potential(const std::vector<double>& potential, std::int64_t i,
                                             std::int64_t j, std::int64_t k) const {
  const Extents n = grid_.extents();
  const auto at = [&](Index index) {
    return potential[static_cast<std::size_t>((index[0] * n.nj + index[1]) * n.nk + index[2])];
  };
  const Index index{i, j, k};
  double sum = 0.0;
  for (const int axis : storage_axes) {
    const auto a = static_cast<std::size_t>(axis);
    if (along(axis)) {
      const Weights weight = weights(false, axis, index[a]);
      Index below = index;
      Index above = index;
      --below[a];
      ++above[a];
      sum += index[a] > 0 ? weight.below * (at(below) - at(index)) : 0.0;
      sum += above[a] < grid_.axis(axis).count() ? weight.above * (at(above) - at(index)) : 0.0;
    }
  }
  return diffusivities_.front() * sum;
}

namespace {

/// Rules whose `varying` is the change of what walls are in a stage.
Continuations changes_of(const Problem& problem, const Grid& grid, const StageTimes& times,
                         std::size_t field) {
  Continuations changes = continuations_of(problem, grid, times.end)[field];
  const Continuations before = continuations_of(problem, grid, times.begin)[field];
  for (const int axis : storage_axes) {
    for (const int side : {0, 1}) {
      changes.at[axis][side].varying -= before.at[axis][side].varying;
    }
  }
  return changes;
}

void copy_cells(const Extents& n, const FieldView<double>& from, const FieldView<double>& to,
                double factor, double kept) {
  for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    to(i, j, k) = factor * from(i, j, k) + (kept == 0.0 ? 0.0 : kept * to(i, j, k));
  });
}

}  // namespace

void ReferenceDiffusion::solve(int field, double time, const StageTimes& times,
                               const FieldView<double>& change) const {
  std::vector<int> order;
  std::ranges::copy_if(storage_axes, std::back_inserter(order),
                       [&](int axis) { return along(axis); });
  const Continuations walls = changes_of(problem_, grid_, times, static_cast<std::size_t>(field));
  const Extents n = grid_.extents();
  FieldSet<double> sets(Layout(n, 0, sizeof(double)), 3, Device::cpu());
  const FieldView<double> right_side = sets[0];
  const FieldView<double> one = sets[1];
  const FieldView<double> sum = sets[2];
  copy_cells(n, change, right_side, 1.0, 0.0);
  double orders = 0.0;
  do {
    copy_cells(n, right_side, one, 1.0, 0.0);
    for (const int axis : order) {
      solve_along(field, axis, time, walls.at[axis], one);
    }
    copy_cells(n, one, sum, 1.0, orders > 0.0 ? 1.0 : 0.0);
    orders += 1.0;
  } while (walls_vary(problem_) && std::ranges::next_permutation(order).found);
  copy_cells(n, sum, change, 1.0 / orders, 0.0);
}

void ReferenceDiffusion::solve_along(int field, int axis, double time,
                                     const Continuation* wall_changes,
                                     const FieldView<double>& change) const {
  const Extents n = grid_.extents();
  const double scale = time * diffusivities_[static_cast<std::size_t>(field)];
  const std::int64_t last = grid_.axis(axis).count() - 1;
  for (std::int64_t i = 0; i < (axis == 0 ? 1 : n.ni); ++i) {
    for (std::int64_t j = 0; j < (axis == 1 ? 1 : n.nj); ++j) {
      for (std::int64_t k = 0; k < (axis == 2 ? 1 : n.nk); ++k) {
        Index at{i, j, k};
        if (field != axis && !lies_on_wall(grid_, field, i, j, k)) {
          change(i, j, k) += scale * weights(false, axis, 0).below * wall_changes[0].varying;
          at[static_cast<std::size_t>(axis)] = last;
          change(at[0], at[1], at[2]) +=
              scale * weights(false, axis, last).above * wall_changes[1].varying;
        }
        solve_line(field, axis, time, {i, j, k}, change);
      }
    }
  }
}

void ReferenceDiffusion::solve_line(int field, int axis, double time, Index at,
                                    const FieldView<double>& change) const {
  const auto a = static_cast<std::size_t>(axis);
  const std::int64_t first = field == axis ? 1 : 0;  // on its own wall a velocity is no unknown
  const std::int64_t last = grid_.axis(axis).count() - 1;
  const double scale = time * diffusivities_[static_cast<std::size_t>(field)];
  const Continuations& rules = continuations_[static_cast<std::size_t>(field)];
  const auto value = [&](std::int64_t n) -> double& {
    at[a] = n;
    return change(at[0], at[1], at[2]);
  };
  std::vector<double> above(static_cast<std::size_t>(last + 1));  // of the rows, once eliminated
  for (std::int64_t n = first; n <= last; ++n) {
    const Weights weight = weights(field == axis, axis, n);
    double diagonal = 1.0 + scale * (weight.below + weight.above);
    if (n > first) {
      const double below = -scale * weight.below;
      diagonal -= below * above[static_cast<std::size_t>(n - 1)];
      value(n) -= below * value(n - 1);
    } else if (field != axis) {
      diagonal -= scale * weight.below * rules.at[axis][0].factor;
    }
    if (n == last && field != axis) {
      diagonal -= scale * weight.above * rules.at[axis][1].factor;
    }
    above[static_cast<std::size_t>(n)] = -scale * weight.above / diagonal;
    value(n) /= diagonal;
  }
  for (std::int64_t n = last - 1; n >= first; --n) {
    value(n) -= above[static_cast<std::size_t>(n)] * value(n + 1);
  }
}

}  // namespace bankfull::convection
