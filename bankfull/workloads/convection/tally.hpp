#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::convection {

/// What a pass over the flow adds up and compares: sums are weighted by the cells' part of the box.
template <std::size_t Sums, std::size_t Extremes>
struct Tally {
  double sums[Sums];
  double max[Extremes];
};

/// The tally of the velocity. Sums: kinetic energy. Max: advective_rate, |div u|, |u| along storage
/// axes.
using FlowTally = Tally<1, 5>;

/// The tally of one scalar T. Sums: T, T^2, u T along the storage axes, and inflow through their
/// lower and upper walls. Max: T and -T.
using ScalarTally = Tally<11, 2>;

inline constexpr double lowest_number = -1.7976931348623157e308;

/// Nothing counted yet.
template <class AnyTally>
BANKFULL_HOST_DEVICE AnyTally empty_tally() {
  AnyTally tally{};
  for (double& max : tally.max) {
    max = lowest_number;
  }
  return tally;
}

template <std::size_t Sums, std::size_t Extremes>
BANKFULL_HOST_DEVICE void merge(Tally<Sums, Extremes>& into, const Tally<Sums, Extremes>& other) {
  for (std::size_t n = 0; n < Sums; ++n) {
    into.sums[n] += other.sums[n];
  }
  for (std::size_t n = 0; n < Extremes; ++n) {
    into.max[n] = larger(other.max[n], into.max[n]);
  }
}

BANKFULL_HOST_DEVICE inline double magnitude(double x) { return x < 0.0 ? -x : x; }

template <int A, class Real>
BANKFULL_HOST_DEVICE void count_velocity(const PointStencil<Real>& stencil, double part,
                                         FlowTally& tally) {
  const auto below = static_cast<double>(stencil.template at<A>(A, 0));
  const auto above = static_cast<double>(stencil.template at<A>(A, 1));
  tally.sums[0] += part * 0.25 * (below * below + above * above);
  tally.max[2 + A] = larger(magnitude(below), tally.max[2 + A]);
}

/// Adds a cell that is `part` of the box.
template <class Real>
BANKFULL_HOST_DEVICE void count(const PointStencil<Real>& stencil, double part, FlowTally& tally) {
  count_velocity<0>(stencil, part, tally);
  count_velocity<1>(stencil, part, tally);
  count_velocity<2>(stencil, part, tally);
  const Real rate = advective_rate(stencil.axis, stencil.template at<0>(0, 0),
                                   stencil.template at<1>(1, 0), stencil.template at<2>(2, 0));
  tally.max[0] = larger(static_cast<double>(rate), tally.max[0]);
  tally.max[1] = larger(magnitude(static_cast<double>(divergence(stencil))), tally.max[1]);
}

/// Where a cell lies along one axis that has walls.
struct WallSides {
  bool lower[3] = {};
  bool upper[3] = {};
  double length[3] = {};  ///< of the box along the axis
};

template <int A, class Real>
BANKFULL_HOST_DEVICE void count_along(const PointStencil<Real>& stencil, int scalar,
                                      double diffusivity, double part, const WallSides& sides,
                                      ScalarTally& tally) {
  const AxisMetric<Real>& axis = stencil.axis[A];
  const auto here = static_cast<double>(stencil.template at<A>(3 + scalar, 0));
  const auto before = static_cast<double>(stencil.template at<A>(3 + scalar, -1));
  const auto after = static_cast<double>(stencil.template at<A>(3 + scalar, 1));
  const auto flow = static_cast<double>(stencil.template at<A>(A, 0));
  const auto per_cell = static_cast<double>(axis.per_cell);
  const double face_part = part * per_cell / static_cast<double>(axis.per_face);
  tally.sums[2 + A] += face_part * flow * (0.5 * (before + here));
  const double wall_part = part * per_cell * sides.length[A] * diffusivity;
  if (sides.lower[A]) {
    tally.sums[5 + 2 * A] += wall_part * (before - here) * static_cast<double>(axis.per_face);
  }
  if (sides.upper[A]) {
    tally.sums[6 + 2 * A] += wall_part * (after - here) * static_cast<double>(axis.per_face_next);
  }
}

template <class Real>
BANKFULL_HOST_DEVICE void count(const PointStencil<Real>& stencil, int scalar, double diffusivity,
                                double part, const WallSides& sides, ScalarTally& tally) {
  const auto here = static_cast<double>(stencil.template at<0>(3 + scalar, 0));
  tally.sums[0] += part * here;
  tally.sums[1] += part * here * here;
  count_along<0>(stencil, scalar, diffusivity, part, sides, tally);
  count_along<1>(stencil, scalar, diffusivity, part, sides, tally);
  count_along<2>(stencil, scalar, diffusivity, part, sides, tally);
  tally.max[0] = larger(here, tally.max[0]);
  tally.max[1] = larger(-here, tally.max[1]);
}

/// What the tallies say, along x, y, z.
Diagnosis diagnosis_of(const Grid& grid, const FlowTally& flow,
                       const std::vector<ScalarTally>& scalars);

}  // namespace bankfull::convection
