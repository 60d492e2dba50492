#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/comm/communicator.hpp"
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

/// The tally of the velocity. Sums: kinetic energy, its dissipation, the work of walls and of
/// forces; u along the storage axes; |grad u|^2 but at walls. Max: advective_rate, |div u|, |u|
/// along storage axes.
using FlowTally = Tally<8, 5>;

/// The tally of one scalar T. Sums: T, T^2, u T along the storage axes, inflow through their lower
/// and upper walls; the dissipation of T^2 / 2, its production by walls and by the source; the
/// source; T on their lower and upper walls. Max: T and -T.
using ScalarTally = Tally<21, 2>;

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

/// Merges the tallies of all ranks, in their order. Collective over `ranks`, which are null where
/// there is one only.
template <class AnyTally>
AnyTally merged_by_ranks(const Communicator* ranks, const AnyTally& mine) {
  if (ranks == nullptr) {
    return mine;
  }
  auto all = empty_tally<AnyTally>();
  for (const AnyTally& of_rank : ranks->all_gather(mine)) {
    merge(all, of_rank);
  }
  return all;
}

BANKFULL_HOST_DEVICE inline double magnitude(double x) { return x < 0.0 ? -x : x; }

/// Where a cell lies along one axis that has walls.
struct WallSides {
  bool lower[3] = {};
  bool upper[3] = {};
  double length[3] = {};  ///< of the box along the axis
};

/// What diffusion does to a field around one of its elements, for each volume of the box.
struct Diffused {
  double inflow[2] = {};     ///< through a wall below and above, where there is one
  double wall_work = 0.0;    ///< what flows in, times the value on the wall
  double dissipation = 0.0;  ///< of half the field's square, nearer to this element than to others
};

/// Through the element's face below along B and, at a wall, the one above. `conductance`:
/// diffusivity times the area of these faces, over the volume of the box.
///
/// A wall lies midway between the element and its ghost, so that the difference to the wall is half
/// of that to the ghost, over half of the distance: half of the dissipation that the ghost's
/// difference would have, and the wall's value is the mean of both. That holds for whatever the
/// wall prescribes.
template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Diffused diffused_along(
    const PointStencil<Real>& stencil, int field, double conductance, const WallSides& sides) {
  const auto here = static_cast<double>(stencil.template at<B>(field, 0));
  const auto before = static_cast<double>(stencil.template at<B>(field, -1));
  const double from_below =
      conductance * static_cast<double>(stencil.axis[B].per_face) * (before - here);
  Diffused found;
  found.dissipation = from_below * (before - here);
  if (sides.lower[B]) {
    found.inflow[0] = from_below;
    found.wall_work += from_below * 0.5 * (before + here);
    found.dissipation *= 0.5;
  }
  if (sides.upper[B]) {
    const auto after = static_cast<double>(stencil.template at<B>(field, 1));
    const double from_above =
        conductance * static_cast<double>(stencil.axis[B].per_face_next) * (after - here);
    found.inflow[1] = from_above;
    found.wall_work += from_above * 0.5 * (after + here);
    found.dissipation += 0.5 * from_above * (after - here);
  }
  return found;
}

/// What acts on the fluid in one cell.
template <class Real>
struct CellForcing {
  double viscosity = 0.0;
  const Real* source = nullptr;  ///< of velocity 0 here, fields as far apart as the flow's; or null
  const double* factors = nullptr;  ///< of the sources of all fields, now

  BANKFULL_HOST_DEVICE double of(const PointStencil<Real>& stencil, int field) const {
    return source == nullptr
               ? 0.0
               : factors[field] * static_cast<double>(source[field * stencil.strides.field]);
  }
};

/// The stress of velocity A along B, another axis: `volume` is the part of the box that belongs to
/// the velocity here.
template <int A, int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void count_shear(const PointStencil<Real>& stencil,
                                                             double viscosity, double volume,
                                                             const WallSides& sides,
                                                             FlowTally& tally) {
  const double area = volume * static_cast<double>(stencil.axis[B].per_cell);
  const Diffused shear = diffused_along<B>(stencil, A, viscosity * area, sides);
  tally.sums[1] += shear.dissipation;
  tally.sums[2] += shear.wall_work;
  const auto per_distance = static_cast<double>(stencil.axis[B].per_face);
  const auto difference =
      static_cast<double>(stencil.template at<B>(A, 0) - stencil.template at<B>(A, -1));
  tally.sums[7] += sides.lower[B] ? 0.0 : area * per_distance * difference * difference;
}

template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void count_velocity(const PointStencil<Real>& stencil,
                                                                const CellForcing<Real>& forcing,
                                                                double part, const WallSides& sides,
                                                                FlowTally& tally) {
  const auto per_cell = static_cast<double>(stencil.axis[A].per_cell);
  const auto below = static_cast<double>(stencil.template at<A>(A, 0));
  const auto above = static_cast<double>(stencil.template at<A>(A, 1));
  tally.sums[0] += part * 0.25 * (below * below + above * above);
  tally.max[2 + A] = larger(magnitude(below), tally.max[2 + A]);
  const double strain = (above - below) * per_cell;
  tally.sums[1] += part * forcing.viscosity * strain * strain;
  tally.sums[7] += part * strain * strain;
  if (sides.lower[A]) {
    return;  // on a wall, where it is zero for good: its ghosts along others say nothing
  }
  const double volume = part * per_cell / static_cast<double>(stencil.axis[A].per_face);
  tally.sums[3] += volume * below * forcing.of(stencil, A);
  tally.sums[4 + A] += volume * below;
  count_shear<A, (A + 1) % 3>(stencil, forcing.viscosity, volume, sides, tally);
  count_shear<A, (A + 2) % 3>(stencil, forcing.viscosity, volume, sides, tally);
}

/// Adds a cell that is `part` of the box.
template <class Real>
BANKFULL_HOST_DEVICE void count(const PointStencil<Real>& stencil, const CellForcing<Real>& forcing,
                                double part, const WallSides& sides, FlowTally& tally) {
  count_velocity<0>(stencil, forcing, part, sides, tally);
  count_velocity<1>(stencil, forcing, part, sides, tally);
  count_velocity<2>(stencil, forcing, part, sides, tally);
  const Real rate = advective_rate(stencil.axis, stencil.template at<0>(0, 0),
                                   stencil.template at<1>(1, 0), stencil.template at<2>(2, 0));
  tally.max[0] = larger(static_cast<double>(rate), tally.max[0]);
  tally.max[1] = larger(magnitude(static_cast<double>(divergence(stencil))), tally.max[1]);
}

template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void count_along(const PointStencil<Real>& stencil,
                                                             int scalar, double diffusivity,
                                                             double part, const WallSides& sides,
                                                             ScalarTally& tally) {
  const AxisMetric<Real>& axis = stencil.axis[A];
  const auto here = static_cast<double>(stencil.template at<A>(3 + scalar, 0));
  const auto before = static_cast<double>(stencil.template at<A>(3 + scalar, -1));
  const auto flow = static_cast<double>(stencil.template at<A>(A, 0));
  const double area = part * static_cast<double>(axis.per_cell);
  const double face_part = area / static_cast<double>(axis.per_face);
  tally.sums[2 + A] += face_part * flow * (0.5 * (before + here));
  const Diffused heat = diffused_along<A>(stencil, 3 + scalar, diffusivity * area, sides);
  tally.sums[5 + 2 * A] += sides.length[A] * heat.inflow[0];
  tally.sums[6 + 2 * A] += sides.length[A] * heat.inflow[1];
  tally.sums[11] += heat.dissipation;
  tally.sums[12] += heat.wall_work;
  const double wall_part = sides.length[A] * area;
  if (sides.lower[A]) {
    tally.sums[15 + 2 * A] += wall_part * 0.5 * (before + here);
  }
  if (sides.upper[A]) {
    const auto after = static_cast<double>(stencil.template at<A>(3 + scalar, 1));
    tally.sums[16 + 2 * A] += wall_part * 0.5 * (here + after);
  }
}

/// `source`: of the scalar in this cell.
template <class Real>
BANKFULL_HOST_DEVICE void count(const PointStencil<Real>& stencil, int scalar, double diffusivity,
                                double source, double part, const WallSides& sides,
                                ScalarTally& tally) {
  const auto here = static_cast<double>(stencil.template at<0>(3 + scalar, 0));
  tally.sums[0] += part * here;
  tally.sums[1] += part * here * here;
  tally.sums[13] += part * here * source;
  tally.sums[14] += part * source;
  count_along<0>(stencil, scalar, diffusivity, part, sides, tally);
  count_along<1>(stencil, scalar, diffusivity, part, sides, tally);
  count_along<2>(stencil, scalar, diffusivity, part, sides, tally);
  tally.max[0] = larger(here, tally.max[0]);
  tally.max[1] = larger(-here, tally.max[1]);
}

/// What the tallies say of a problem's flow, along x, y, z.
Diagnosis diagnosis_of(const Problem& problem, const Grid& grid, const FlowTally& flow,
                       const std::vector<ScalarTally>& scalars);

}  // namespace bankfull::convection
