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
    metrics_[a] = metrics_of<double>(grid.axis(axis));
    if (axis == 0 || along_[a]) {
      factors_[a].resize(metrics_[a].size() * fields_);
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
      form_line(axis, static_cast<int>(field));
    }
  }
}

/// Rows of the matrix are - below, 1 + below + above, - above. A ghost is a part of the unknown
/// beside it; a velocity on its own wall is no unknown, and zero.
template <class Real>
void ImplicitLines<Real>::form_line(int axis, int field) {
  const auto a = static_cast<std::size_t>(axis);
  const auto f = static_cast<std::size_t>(field);
  const bool on_faces = field == axis;
  const double scale = time_ * diffusivities_[f];
  const Continuation(&walls)[2] = continuations_[f].at[axis];
  const std::size_t count = metrics_[a].size();
  double back = 0.0;
  for (std::size_t n = 0; n < count; ++n) {
    LineFactors<Real>& factors = factors_[a][n * fields_ + f];
    if (on_faces && n == 0) {
      factors = {};
      continue;
    }
    const auto weights = NeighbourWeights<double>::of(metrics_[a][n], on_faces);
    const double below = scale * weights.below;
    const double above = scale * weights.above;
    const double diagonal = 1.0 + below * (1.0 - (n == 0 ? walls[0].factor : back)) +
                            above * (1.0 - (n + 1 == count ? walls[1].factor : 0.0));
    back = n + 1 == count ? 0.0 : above / diagonal;
    factors = {.scale = static_cast<Real>(1.0 / diagonal),
               .carry = static_cast<Real>(n == 0 ? 0.0 : below / diagonal),
               .back = static_cast<Real>(back)};
  }
}

template <class Real>
Real ImplicitLines<Real>::wall_weight(int field, int side) const {
  const AxisMetric<double>& metric = side == 0 ? metrics_[0].front() : metrics_[0].back();
  const auto weights = NeighbourWeights<double>::of(metric, false);
  return static_cast<Real>(time_ * diffusivities_[static_cast<std::size_t>(field)] *
                           (side == 0 ? weights.below : weights.above));
}

template class ImplicitLines<float>;
template class ImplicitLines<double>;

}  // namespace bankfull::convection
