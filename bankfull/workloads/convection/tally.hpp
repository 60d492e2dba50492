#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/reciprocal.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <cstddef>
#include <type_traits>
#include <vector>

namespace bankfull::convection {

/// What a pass over the flow adds up and compares: sums are weighted by the cells' part of the box.
template <std::size_t Sums, std::size_t Extremes>
struct Tally {
  double sums[Sums];
  double max[Extremes];

  BANKFULL_ALWAYS_INLINE void add(std::size_t n, double term) { sums[n] += term; }
  BANKFULL_ALWAYS_INLINE void raise(std::size_t n, double value) { max[n] = larger(value, max[n]); }
};

/// The tally of the velocity. Sums: kinetic energy, its dissipation, the work of walls and of
/// forces; u along the storage axes; |grad u|^2 but at walls. Max: advective_rate, |div u|, |u|
/// along storage axes.
using FlowTally = Tally<8, 5>;

/// The tally of one scalar T. Sums: T, T^2, u T along the storage axes, inflow through their lower
/// and upper walls; the dissipation of T^2 / 2, its production by walls and by the source; the
/// source; T on their lower and upper walls. Max: T and -T.
using ScalarTally = Tally<21, 2>;

/// Those of a flow.
struct FlowTallies {
  FlowTally flow;
  std::vector<ScalarTally> scalars;
};

inline constexpr double lowest_number = -1.7976931348623157e308;

/// Nothing counted yet.
template <class AnyTally>
AnyTally empty_tally() {
  AnyTally tally{};
  for (double& max : tally.max) {
    max = lowest_number;
  }
  return tally;
}

template <std::size_t Sums, std::size_t Extremes>
void merge(Tally<Sums, Extremes>& into, const Tally<Sums, Extremes>& other) {
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

inline FlowTallies merged_by_ranks(const Communicator* ranks, FlowTallies mine) {
  mine.flow = merged_by_ranks(ranks, mine.flow);
  for (ScalarTally& scalar : mine.scalars) {
    scalar = merged_by_ranks(ranks, scalar);
  }
  return mine;
}

/// A value of the flow as tallies take it, in fp64, which packs are in already.
template <class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE auto wide(const Value& x) {
  if constexpr (std::is_arithmetic_v<Value>) {
    return static_cast<double>(x);
  } else {
    return x;
  }
}

/// Where a cell lies along one axis that has walls.
struct WallSides {
  bool lower[3] = {};
  bool upper[3] = {};
  double length[3] = {};  ///< of the box along the axis
};

/// In place of an array with a value for each axis: no axis has one.
template <class Value>
struct AlongNoAxis {
  constexpr Value operator[](int /*axis*/) const { return Value{}; }
};

/// The same for cells beside no wall: what is between walls and cells is not compiled.
struct BesideNoWall {
  AlongNoAxis<bool> lower;
  AlongNoAxis<bool> upper;
  AlongNoAxis<double> length;
};

/// What diffuses into a field through a wall, for each volume of the box. A Number is that of one
/// element, or of several of a row.
template <class Number>
struct ThroughWall {
  Number inflow{};
  Number work{};         ///< what flows in, times the value on the wall
  Number dissipation{};  ///< of half the field's square, between the element and the wall
  Number value{};        ///< twice that on the wall
};

/// Through the wall below the element along B (0), or above it (1). `conductance`: diffusivity
/// times the area of the element's face there, over the volume of the box.
///
/// A wall lies midway between the element and its ghost, so that the difference to the wall is half
/// of that to the ghost, over half of the distance: half of the dissipation that the ghost's
/// difference would have, and the wall's value is the mean of both. That holds for whatever the
/// wall prescribes.
template <int B, class Stencil, class Number>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE ThroughWall<Number> through_wall(
    const Stencil& stencil, int field, const Number& conductance, int side) {
  const auto per_face = wide(side == 0 ? stencil.axis[B].per_face : stencil.axis[B].per_face_next);
  const Number here = wide(stencil.template at<B>(field, 0));
  const Number ghost = wide(stencil.template at<B>(field, side == 0 ? -1 : 1));
  ThroughWall<Number> found;
  found.inflow = conductance * per_face * (ghost - here);
  found.value = ghost + here;
  found.work = 0.5 * found.inflow * found.value;
  found.dissipation = 0.5 * found.inflow * (ghost - here);
  return found;
}

/// What diffusion does to a field around one of its elements, likewise.
template <class Number>
struct Diffused {
  ThroughWall<Number> wall[2] = {};  ///< below and above, where there is one
  Number dissipation{};  ///< of half the field's square, nearer to this element than to others
};

/// Through the element's face below along B and, at a wall, the one above: of equal conductance.
template <int B, class Stencil, class Number, class Sides>
BANKFULL_ALWAYS_INLINE Diffused<Number> diffused_along(const Stencil& stencil, int field,
                                                       const Number& conductance,
                                                       const Sides& sides) {
  Diffused<Number> found;
  if (sides.lower[B]) {
    found.wall[0] = through_wall<B>(stencil, field, conductance, 0);
    found.dissipation = found.wall[0].dissipation;
  } else {
    const Number difference =
        wide(stencil.template at<B>(field, -1)) - wide(stencil.template at<B>(field, 0));
    found.dissipation = conductance * wide(stencil.axis[B].per_face) * difference * difference;
  }
  if (sides.upper[B]) {
    found.wall[1] = through_wall<B>(stencil, field, conductance, 1);
    found.dissipation = found.dissipation + found.wall[1].dissipation;
  }
  return found;
}

/// What acts on the fluid in one cell.
template <class Real>
struct CellForcing {
  double viscosity = 0.0;
  const Real* source = nullptr;  ///< of velocity 0 here, fields as far apart as the flow's; or null
  const double* factors = nullptr;  ///< of the sources of all fields, now

  template <class Stencil>
  double of(const Stencil& stencil, int field) const {
    return source == nullptr
               ? 0.0
               : factors[field] * static_cast<double>(source[field * stencil.strides.field]);
  }
};

/// The stress of velocity A along B, another axis: `volume` is the part of the box that belongs to
/// the velocity here.
template <int A, int B, class Stencil, class Number, class Sides, class AnyTally>
BANKFULL_ALWAYS_INLINE void count_shear(const Stencil& stencil, double viscosity,
                                        const Number& volume, const Sides& sides, AnyTally& tally) {
  const Number area = volume * wide(stencil.axis[B].per_cell);
  const Diffused<Number> shear = diffused_along<B>(stencil, A, viscosity * area, sides);
  tally.add(1, shear.dissipation);
  if (sides.lower[B] || sides.upper[B]) {
    tally.add(2, shear.wall[0].work + shear.wall[1].work);
  }
  if (!sides.lower[B]) {
    const Number difference = wide(stencil.template at<B>(A, 0) - stencil.template at<B>(A, -1));
    tally.add(7, area * wide(stencil.axis[B].per_face) * difference * difference);
  }
}

template <int A, class Stencil, class Real, class Number, class Sides, class AnyTally>
BANKFULL_ALWAYS_INLINE void count_velocity(const Stencil& stencil, const CellForcing<Real>& forcing,
                                           const Number& part, const Sides& sides,
                                           AnyTally& tally) {
  const Number per_cell = wide(stencil.axis[A].per_cell);
  const Number below = wide(stencil.template at<A>(A, 0));
  const Number above = wide(stencil.template at<A>(A, 1));
  tally.add(0, 0.25 * part * (below * below + above * above));
  tally.raise(2 + A, magnitude_of(below));
  const Number strain = (above - below) * per_cell;
  tally.add(1, forcing.viscosity * part * strain * strain);
  tally.add(7, part * strain * strain);
  if (sides.lower[A]) {
    return;  // on a wall, where it is zero for good: its ghosts along others say nothing
  }
  const Number volume = part * per_cell * reciprocal(wide(stencil.axis[A].per_face));
  if (forcing.source != nullptr) {
    tally.add(3, forcing.of(stencil, A) * (volume * below));
  }
  tally.add(4 + A, volume * below);
  count_shear<A, (A + 1) % 3>(stencil, forcing.viscosity, volume, sides, tally);
  count_shear<A, (A + 2) % 3>(stencil, forcing.viscosity, volume, sides, tally);
}

/// Adds a cell that is `part` of the box, or several cells of a row, to a Tally or the like.
template <class Stencil, class Real, class Number, class Sides, class AnyTally>
BANKFULL_ALWAYS_INLINE void count(const Stencil& stencil, const CellForcing<Real>& forcing,
                                  const Number& part, const Sides& sides, AnyTally& tally) {
  count_velocity<0>(stencil, forcing, part, sides, tally);
  count_velocity<1>(stencil, forcing, part, sides, tally);
  count_velocity<2>(stencil, forcing, part, sides, tally);
  tally.raise(0, wide(advective_rate(stencil.axis, stencil.template at<0>(0, 0),
                                     stencil.template at<1>(1, 0), stencil.template at<2>(2, 0))));
  tally.raise(1, magnitude_of(wide(divergence(stencil))));
}

template <int A, class Stencil, class Number, class Sides, class AnyTally>
BANKFULL_ALWAYS_INLINE void count_along(const Stencil& stencil, int scalar, double diffusivity,
                                        const Number& part, const Sides& sides, AnyTally& tally) {
  const Number here = wide(stencil.template at<A>(3 + scalar, 0));
  const Number before = wide(stencil.template at<A>(3 + scalar, -1));
  const Number flow = wide(stencil.template at<A>(A, 0));
  const Number area = part * wide(stencil.axis[A].per_cell);
  const Number face_part = area * reciprocal(wide(stencil.axis[A].per_face));
  tally.add(2 + A, face_part * flow * (0.5 * (before + here)));
  const Diffused<Number> heat = diffused_along<A>(stencil, 3 + scalar, diffusivity * area, sides);
  tally.add(11, heat.dissipation);
  for (const int side : {0, 1}) {
    if (side == 0 ? sides.lower[A] : sides.upper[A]) {
      const auto n = static_cast<std::size_t>(2 * A + side);
      tally.add(5 + n, sides.length[A] * heat.wall[side].inflow);
      tally.add(15 + n, 0.5 * (sides.length[A] * area) * heat.wall[side].value);
    }
  }
  if (sides.lower[A] || sides.upper[A]) {
    tally.add(12, heat.wall[0].work + heat.wall[1].work);
  }
}

/// `source`: of the scalar in this cell.
template <class Stencil, class Number, class Sides, class AnyTally>
BANKFULL_ALWAYS_INLINE void count(const Stencil& stencil, int scalar, double diffusivity,
                                  double source, const Number& part, const Sides& sides,
                                  AnyTally& tally) {
  const Number here = wide(stencil.template at<0>(3 + scalar, 0));
  tally.add(0, part * here);
  tally.add(1, part * here * here);
  if (source != 0.0) {
    tally.add(13, source * (part * here));
    tally.add(14, source * part);
  }
  count_along<0>(stencil, scalar, diffusivity, part, sides, tally);
  count_along<1>(stencil, scalar, diffusivity, part, sides, tally);
  count_along<2>(stencil, scalar, diffusivity, part, sides, tally);
  tally.raise(0, here);
  tally.raise(1, -here);
}

/// What the tallies say of a problem's flow, along x, y, z.
Diagnosis diagnosis_of(const Problem& problem, const Grid& grid, const FlowTallies& tallies);

}  // namespace bankfull::convection
