#include "bankfull/workloads/convection/implicit_lines.hpp"

#include "bankfull/workloads/convection/flow.hpp"

namespace bankfull::convection {

template <class Real>
ImplicitLines<Real>::ImplicitLines(const Problem& problem, const Grid& grid)
    : fields_(3 + problem.scalars.size()),
      diffusivities_(3, problem.viscosity),
      continuations_(continuations_of(problem, grid)) {
  for (const Scalar& scalar : problem.scalars) {
    diffusivities_.push_back(scalar.diffusivity);
  }
  for (const int axis : storage_axes) {
    const auto a = static_cast<std::size_t>(axis);
    along_[a] = problem.implicit_along()[static_cast<std::size_t>(grid.physical(axis))];
    for (const AxisMetric<double>& metric : metrics_of<double>(grid.axis(axis))) {
      weights_[a][0].push_back(NeighbourWeights<double>::of(metric, false));
      weights_[a][1].push_back(NeighbourWeights<double>::of(metric, true));
    }
    if (axis == 0 || along_[a]) {
      factors_[a].resize(weights_[a][0].size() * fields_);
    }
  }
}

template <class Real>
void ImplicitLines<Real>::form(double time) {
  if (time == time_) {
    return;
  }
  time_ = time;
  for (const int axis : storage_axes) {
    for (std::size_t field = 0; along(axis) && field < fields_; ++field) {
      line(axis, static_cast<int>(field))
          .form(time, &factors_[static_cast<std::size_t>(axis)][field], static_cast<int>(fields_));
    }
  }
}

template <class Real>
ImplicitLine ImplicitLines<Real>::line(int axis, int field) const {
  const auto f = static_cast<std::size_t>(field);
  const Continuation(&walls)[2] = continuations_[f].at[axis];
  const std::vector<NeighbourWeights<double>>& along = weights(axis, field == axis);
  return {.weights = along.data(),
          .count = static_cast<int>(along.size()),
          .on_faces = field == axis,
          .diffusivity = diffusivities_[f],
          .ghost = {walls[0].factor, walls[1].factor}};
}

template <class Real>
WallChanges<Real> ImplicitLines<Real>::wall_changes(const std::vector<VaryingWall>& walls,
                                                    const StageTimes& times) const {
  WallChanges<Real> changes;
  for (const int axis : storage_axes) {
    for (std::size_t field = 0; along(axis) && field < fields_; ++field) {
      for (const int side : {0, 1}) {
        changes.excess[axis][side][field] =
            static_cast<Real>(line(axis, static_cast<int>(field)).row_excess(time_, side));
      }
    }
  }
  for (const VaryingWall& wall : walls) {
    if (along(wall.axis)) {
      const double weight = line(wall.axis, wall.field).wall_weight(time_, wall.side);
      changes.part[wall.axis][wall.side][wall.field] =
          static_cast<Real>(weight * wall.change(times));
    }
  }
  return changes;
}

template class ImplicitLines<float>;
template class ImplicitLines<double>;

}  // namespace bankfull::convection
