#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/implicit_stage.hpp"
#include "bankfull/workloads/convection/metrics.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace bankfull::convection {

/// Operations of the functions below at one point, products of metrics included. Tests count them.
struct PointFlops {
  static constexpr int transport_of_velocity = 66;       ///< momentum_transport along three axes
  static constexpr int buoyancy = 4;                     ///< of one scalar and velocity
  static constexpr int all_buoyancy = 1;                 ///< of one velocity that has any
  static constexpr int rotation = 18;                    ///< of one velocity
  static constexpr int transport_of_scalar = 50;         ///< scalar_tendency
  static constexpr int source = 2;                       ///< with the factor that may vary in time
  static constexpr int advance = 4;                      ///< advanced
  static constexpr int transport_without_diffusion = 8;  ///< less along an axis, of any field
  static constexpr int second_difference = 7;            ///< of one field along one axis
  static constexpr int added_difference = 1;             ///< to others, where there may be several
  static constexpr int right_side = 4;                   ///< of a line solve, beside advance
  static constexpr int pressure_gradient = 4;            ///< of one velocity
  static constexpr int eliminated = 3;
  static constexpr int substituted = 2;
  static constexpr int kept_pressure = 23;
  static constexpr int kept_pressure_across_planes = 9;
  static constexpr int divergence = 8;
  static constexpr int projection = 3;  ///< u - (p - p_below) / distance, of one velocity
  static constexpr int advective_rate = 5;
  static constexpr int buoyancy_rate = 22;  ///< of one scalar; 1 more where sums of any are formed
};

/// The flow around one point (i, j, k): cell, and the faces on its lower sides. Fields 0, 1, 2 are
/// the velocity along the storage axes, scalars follow. A Value is one element, or
/// several of a row in SIMD registers; a Metric is one number, or one for each of these elements.
template <class Real, class Value = Real, class Metric = Real>
struct PointStencil {
  const Real* here = nullptr;  ///< velocity 0 at the point
  FlowStrides strides;
  AxisMetric<Metric> axis[3];

  /// Field `field`, `steps` steps along `Axis` away.
  template <int Axis>
  BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value at(int field, int steps) const {
    return load(field * strides.field + steps * strides.template along<Axis>());
  }

  template <int Axis, int Other>
  BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value at(int field, int steps,
                                                       int other_steps) const {
    return load(field * strides.field + steps * strides.template along<Axis>() +
                other_steps * strides.template along<Other>());
  }

  BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value load(std::int64_t offset) const {
    if constexpr (std::is_same_v<Real, Value>) {
      return here[offset];
    } else {
      return Value::load(here + offset);
    }
  }
};

/// The same number in every lane of a Value.
template <class Value, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value broadcast_of(Real x) {
  if constexpr (std::is_same_v<Real, Value>) {
    return x;
  } else {
    return Value::broadcast(x);
  }
}

/// x y + z in one rounding, for an element or a pack of them.
template <class X, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value plus_product(const X& x, const Value& y,
                                                               const Value& z) {
  using std::fma;
  return fma(x, y, z);
}

/// What flows minus what diffuses: flux - diffusivity per_distance (above - below).
template <class Real, class Metric, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value less_diffusion(const Real& diffusivity,
                                                                 const Metric& per_distance,
                                                                 const Value& below,
                                                                 const Value& above,
                                                                 const Value& flux) {
  if constexpr (std::is_same_v<Real, Inviscid>) {
    return flux;
  } else {
    return plus_product(-diffusivity * per_distance, above - below, flux);
  }
}

/// Flux of velocity A along its own axis, u u - nu du/dx, at the centre of the cell that is `cell`
/// cells above face n.
template <int A, class Real, class Value, class Metric, class Diffusivity>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
own_flux(const PointStencil<Real, Value, Metric>& stencil, Diffusivity viscosity, int cell,
         Metric per_width) {
  const Value below = stencil.template at<A>(A, cell);
  const Value above = stencil.template at<A>(A, cell + 1);
  const Value twice_mean = below + above;
  return less_diffusion(viscosity, per_width, below, above, (Real(0.25) * twice_mean) * twice_mean);
}

/// Flux of velocity A along another axis B, v u - nu du/dy, at the edge `edge` cells above the
/// point. The transporting v is weighted by volume, so that the divergence of the fluxes around a
/// velocity is the mean of the divergences of its two cells: zero.
template <int A, int B, class Real, class Value, class Metric, class Diffusivity>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
cross_flux(const PointStencil<Real, Value, Metric>& stencil, Diffusivity viscosity, int edge,
           Metric per_distance) {
  const Metric half_weight = Real(0.5) * stencil.axis[A].weight;
  const Value half_transporting =
      plus_product(broadcast_of<Metric>(Real(0.5)) - half_weight, stencil.template at<B>(B, edge),
                   half_weight * stencil.template at<A, B>(B, -1, edge));
  const Value below = stencil.template at<B>(A, edge - 1);
  const Value above = stencil.template at<B>(A, edge);
  return less_diffusion(viscosity, per_distance, below, above, half_transporting * (below + above));
}

/// - d/dB (flux of velocity A along B), for B = A too.
template <int A, int B, class Real, class Value, class Metric, class Diffusivity>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
momentum_transport(const PointStencil<Real, Value, Metric>& stencil, Diffusivity viscosity) {
  const AxisMetric<Metric>& axis = stencil.axis[B];
  if constexpr (A == B) {
    return axis.per_face * (own_flux<A>(stencil, viscosity, -1, axis.per_cell_before) -
                            own_flux<A>(stencil, viscosity, 0, axis.per_cell));
  } else {
    return axis.per_cell * (cross_flux<A, B>(stencil, viscosity, 0, axis.per_face) -
                            cross_flux<A, B>(stencil, viscosity, 1, axis.per_face_next));
  }
}

/// A scalar's value on the lower face of the cell along A: what flows through the face too, so that
/// buoyancy does the work that the flow's potential energy loses.
template <int A, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
scalar_on_face(const PointStencil<Real, Value, Metric>& stencil, int scalar) {
  return Real(0.5) *
         (stencil.template at<A>(3 + scalar, -1) + stencil.template at<A>(3 + scalar, 0));
}

/// Velocity B where velocity A lies: the mean of the four around it, weighted by volume, so that
/// the Coriolis forces of A and B do opposite work.
template <int A, int B, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
velocity_beside(const PointStencil<Real, Value, Metric>& stencil) {
  const Metric half_weight = Real(0.5) * stencil.axis[A].weight;
  const Value below = stencil.template at<A, B>(B, -1, 0) + stencil.template at<A, B>(B, -1, 1);
  const Value above = stencil.template at<B>(B, 0) + stencil.template at<B>(B, 1);
  return plus_product(broadcast_of<Metric>(Real(0.5)) - half_weight, above, half_weight * below);
}

/// The sum of g alpha (T - reference) of all scalars, added to `sum`.
template <int A, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value with_buoyancies(
    const PointStencil<Real, Value, Metric>& stencil, const Medium<Real>& medium, Value sum) {
  auto buoyancies = broadcast_of<Value>(-medium.reference[A]);
  bool any = false;
  for (int s = 0; s < medium.scalar_count; ++s) {
    const Real buoyancy = medium.scalars[s].buoyancy[A];
    if (buoyancy != Real(0)) {
      buoyancies = plus_product(buoyancy, scalar_on_face<A>(stencil, s), buoyancies);
      any = true;
    }
  }
  return any ? sum + buoyancies : sum;
}

/// Adds to G of velocity A what may act on the fluid: buoyancy, and -2 Omega x u.
template <int A, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value with_any_forces(
    const PointStencil<Real, Value, Metric>& stencil, const Medium<Real>& medium, Value sum) {
  sum = with_buoyancies<A>(stencil, medium, sum);
  constexpr int B = (A + 1) % 3;
  constexpr int C = (A + 2) % 3;
  const Real around_b = medium.twice_rotation[B];
  const Real around_c = medium.twice_rotation[C];
  if (around_b != Real(0) || around_c != Real(0)) {
    sum = plus_product(around_c, velocity_beside<A, B>(stencil), sum);
    sum = plus_product(-around_b, velocity_beside<A, C>(stencil), sum);
  }
  return sum;
}

/// Adds to G of velocity A what acts on the fluid: usually the buoyancy of the first scalar alone.
template <int A, Terms Which, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value with_forces(
    const PointStencil<Real, Value, Metric>& stencil, const Medium<Real>& medium, Value sum) {
  if constexpr (Which == Terms::usual) {
    return sum + plus_product(medium.scalars[0].buoyancy[A], scalar_on_face<A>(stencil, 0),
                              broadcast_of<Value>(-medium.reference[A]));
  } else {
    return with_any_forces<A>(stencil, medium, sum);
  }
}

/// The diffusivity along B that a tendency has.
template <Diffusion Which, int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE auto along(const Medium<Real>& medium,
                                                       Real diffusivity) {
  if constexpr (Which == Diffusion::within_planes && B == 0) {
    return Inviscid();
  } else if constexpr (Which == Diffusion::explicit_axes) {
    return medium.implicit_along[B] ? Real(0) : diffusivity;
  } else {
    return diffusivity;
  }
}

/// G of velocity A without pressure: -(u . grad) u + nu lap u + sum of g alpha T - 2 Omega x u.
template <int A, Terms Which, Diffusion How = Diffusion::whole, class Real, class Value,
          class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
momentum_tendency(const PointStencil<Real, Value, Metric>& stencil, const Medium<Real>& medium) {
  constexpr int B = (A + 1) % 3;
  constexpr int C = (A + 2) % 3;
  const Value transport =
      momentum_transport<A, A>(stencil, along<How, A>(medium, medium.viscosity)) +
      momentum_transport<A, B>(stencil, along<How, B>(medium, medium.viscosity)) +
      momentum_transport<A, C>(stencil, along<How, C>(medium, medium.viscosity));
  return with_forces<A, Which>(stencil, medium, transport);
}

/// Flux of a scalar along B, v T - kappa dT/dy, through the face `face` cells above the point.
template <int B, class Real, class Value, class Metric, class Diffusivity>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
scalar_flux(const PointStencil<Real, Value, Metric>& stencil, int scalar, Diffusivity diffusivity,
            int face, Metric per_distance) {
  const Value below = stencil.template at<B>(3 + scalar, face - 1);
  const Value above = stencil.template at<B>(3 + scalar, face);
  return less_diffusion(diffusivity, per_distance, below, above,
                        (Real(0.5) * stencil.template at<B>(B, face)) * (below + above));
}

template <int B, class Real, class Value, class Metric, class Diffusivity>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value scalar_transport(
    const PointStencil<Real, Value, Metric>& stencil, int scalar, Diffusivity diffusivity) {
  const AxisMetric<Metric>& axis = stencil.axis[B];
  return axis.per_cell * (scalar_flux<B>(stencil, scalar, diffusivity, 0, axis.per_face) -
                          scalar_flux<B>(stencil, scalar, diffusivity, 1, axis.per_face_next));
}

/// G of a scalar: -div(u T) + kappa lap T.
template <class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
scalar_tendency(const PointStencil<Real, Value, Metric>& stencil, int scalar, Real diffusivity) {
  return scalar_transport<0>(stencil, scalar, diffusivity) +
         scalar_transport<1>(stencil, scalar, diffusivity) +
         scalar_transport<2>(stencil, scalar, diffusivity);
}

/// G of a scalar, but for the diffusion along implicit axes.
template <Diffusion How, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value explicit_scalar_tendency(
    const PointStencil<Real, Value, Metric>& stencil, int scalar, const Medium<Real>& medium) {
  const Real kappa = medium.scalars[scalar].diffusivity;
  return scalar_transport<0>(stencil, scalar, along<How, 0>(medium, kappa)) +
         scalar_transport<1>(stencil, scalar, along<How, 1>(medium, kappa)) +
         scalar_transport<2>(stencil, scalar, along<How, 2>(medium, kappa));
}

/// What a field's second difference along an axis multiplies the differences to its neighbours by:
/// of velocities along their own axis, which lie on faces, or of what lies at centres along it.
template <class Real>
struct NeighbourWeights {
  Real below{};
  Real above{};

  BANKFULL_HOST_DEVICE static NeighbourWeights of(const AxisMetric<Real>& axis, bool on_faces) {
    const Real& per_length = on_faces ? axis.per_face : axis.per_cell;
    return {per_length * (on_faces ? axis.per_cell_before : axis.per_face),
            per_length * (on_faces ? axis.per_cell : axis.per_face_next)};
  }
};

/// D: the second difference along B of field `field`, which is velocity `Own`, or 3: a scalar.
template <int Own, int B, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
second_difference(const PointStencil<Real, Value, Metric>& stencil, int field) {
  const auto weights = NeighbourWeights<Metric>::of(stencil.axis[B], Own == B);
  const Value here = stencil.template at<B>(field, 0);
  return plus_product(weights.below, stencil.template at<B>(field, -1) - here,
                      weights.above * (stencil.template at<B>(field, 1) - here));
}

/// The sum of these along the implicit axes.
template <int Own, Diffusion How, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value implicit_differences(
    const PointStencil<Real, Value, Metric>& stencil, const Medium<Real>& medium, int field) {
  if constexpr (How == Diffusion::within_planes) {
    return second_difference<Own, 0>(stencil, field);
  }
  auto sum = broadcast_of<Value>(Real(0));
  if (medium.implicit_along[0]) {
    sum = sum + second_difference<Own, 0>(stencil, field);
  }
  if (medium.implicit_along[1]) {
    sum = sum + second_difference<Own, 1>(stencil, field);
  }
  if (medium.implicit_along[2]) {
    sum = sum + second_difference<Own, 2>(stencil, field);
  }
  return sum;
}

/// What Thomas's elimination along an axis multiplies by at one index.
template <class Real>
struct LineFactors {
  Real scale = 1;  ///< the right side
  Real carry = 0;  ///< what was eliminated before
  Real back = 0;   ///< the solution beyond
};

/// The way up: the right side here, with the one below already eliminated.
template <class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value eliminated(const LineFactors<Real>& factors,
                                                             const Value& right_side,
                                                             const Value& below) {
  return plus_product(factors.scale, right_side, factors.carry * below);
}

/// The way down: the solution here from the one above.
template <class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value substituted(const LineFactors<Real>& factors,
                                                              const Value& eliminated,
                                                              const Value& above) {
  return plus_product(factors.back, above, eliminated);
}

/// u + gamma G + zeta G_before.
template <class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value advanced(Value value, Real gamma, Value tendency,
                                                           Real zeta, Value before) {
  return plus_product(gamma, tendency, plus_product(zeta, before, value));
}

/// The right side of field `field`, which is velocity `Own`, or 3: a scalar, but for the pressure;
/// see Stage.
template <int Own, Diffusion How, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value implicit_right_side(
    const PointStencil<Real, Value, Metric>& stencil, const Medium<Real>& medium,
    const ImplicitFactors<Real>& stage, int field, const Value& tendency, const Value& before) {
  const Real diffusivity = Own < 3 ? medium.viscosity : medium.scalars[field - 3].diffusivity;
  const Value start = stage.start * stencil.load(field * stencil.strides.field);
  return plus_product(
      stage.differences * diffusivity, implicit_differences<Own, How>(stencil, medium, field),
      advanced(start, stage.tendencies.gamma, tendency, stage.tendencies.zeta, before));
}

/// Less tau dp/dA, with tau over the distance of both pressures.
template <class Metric, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value less_gradient(const Metric& length_per_face,
                                                                const Value& below,
                                                                const Value& above,
                                                                const Value& right_side) {
  return plus_product(-length_per_face, above - below, right_side);
}

/// p + (q - theta tau nu (sum of D q)) / time: what the projection's potential q says of the
/// pressure, whose gradient the stage had inside its matrix.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real with_potential(const ImplicitFactors<Real>& stage,
                                                                const Real& potential,
                                                                const Real& differences,
                                                                const Real& pressure) {
  return plus_product(stage.pressure_per_potential,
                      plus_product(-stage.implicit_viscosity, differences, potential), pressure);
}

/// |x|, of counted numbers too.
template <class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value magnitude_of(const Value& x) {
  using std::abs;
  return abs(x);
}

/// NaN wins, so that a broken flow shows.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real larger(const Real& a, const Real& b) {
  // NOLINTNEXTLINE(misc-redundant-expression): a NaN is all that differs from itself
  return a < b || b != b ? b : a;
}

/// 1 / width of the narrower cell beside face n.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real per_narrower_cell(const AxisMetric<Real>& axis) {
  return axis.per_cell > axis.per_cell_before ? axis.per_cell : axis.per_cell_before;
}

/// The sum of |u| / h over the axes with the velocities on the lower faces of a cell: how fast the
/// shortest waves are carried, 1 / time. All faces but upper walls, where nothing moves, are lower
/// ones of a cell. Those above it would have to be projected a second time.
template <class Real, class Metric, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
advective_rate(const AxisMetric<Real>& i, const AxisMetric<Real>& j, const AxisMetric<Metric>& k,
               const Value& along_i, const Value& along_j, const Value& along_k) {
  return plus_product(per_narrower_cell(i), magnitude_of(along_i),
                      plus_product(per_narrower_cell(j), magnitude_of(along_j),
                                   per_narrower_cell(k) * magnitude_of(along_k)));
}

template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real advective_rate(const AxisMetric<Real> (&axis)[3],
                                                                const Real& along_i,
                                                                const Real& along_j,
                                                                const Real& along_k) {
  return advective_rate(axis[0], axis[1], axis[2], along_i, along_j, along_k);
}

/// Twice the difference of a scalar across a cell along A, from face to face, over its width: what
/// fluid that moves along A finds. None moves through walls.
template <int A, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value twice_gradient(
    const PointStencil<Real, Value, Metric>& stencil, int scalar, const CellOnWalls& walls) {
  const auto none = broadcast_of<Value>(Real(0));
  const Value here = stencil.template at<A>(3 + scalar, 0);
  const Value below = here - stencil.template at<A>(3 + scalar, -1);
  const Value above = stencil.template at<A>(3 + scalar, 1) - here;
  return stencil.axis[A].per_cell *
         ((walls.lower[A] ? none : below) + (walls.upper[A] ? none : above));
}

/// The square of the largest frequency with which a fluid stratified by one scalar oscillates, over
/// waves of all directions: (b . g + |b| |g|) / 2 with its buoyancy b and gradient g (the largest
/// eigenvalue of the symmetric part of b g). Not below, and equal where b lies along an axis and g
/// along the same: the sums of magnitudes stand for |b| and |g|. Not negative.
template <class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
buoyancy_rate(const PointStencil<Real, Value, Metric>& stencil, const ScalarMedium<Real>& medium,
              int scalar, const CellOnWalls& walls) {
  const Value along_i = twice_gradient<0>(stencil, scalar, walls);
  const Value along_j = twice_gradient<1>(stencil, scalar, walls);
  const Value along_k = twice_gradient<2>(stencil, scalar, walls);
  const Value work =
      plus_product(medium.buoyancy[0], along_i,
                   plus_product(medium.buoyancy[1], along_j, medium.buoyancy[2] * along_k));
  const Value slope = magnitude_of(along_i) + magnitude_of(along_j) + magnitude_of(along_k);
  return Real(0.25) * plus_product(medium.total_buoyancy, slope, work);
}

/// The same of all scalars, for the usual terms of the first.
template <Terms Which, class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
buoyancy_rate(const PointStencil<Real, Value, Metric>& stencil, const Medium<Real>& medium,
              const CellOnWalls& walls) {
  if constexpr (Which == Terms::usual) {
    return buoyancy_rate(stencil, medium.scalars[0], 0, walls);
  } else {
    auto sum = broadcast_of<Value>(Real(0));
    for (int s = 0; s < medium.scalar_count; ++s) {
      if (medium.scalars[s].total_buoyancy != Real(0)) {
        sum = sum + buoyancy_rate(stencil, medium.scalars[s], s, walls);
      }
    }
    return sum;
  }
}

/// div u between the velocities on both sides of a cell.
template <class Real, class Metric, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value divergence_between(const Real (&per_cell)[2],
                                                                     const Metric& per_cell_along,
                                                                     const Value (&below)[3],
                                                                     const Value (&above)[3]) {
  return per_cell[0] * (above[0] - below[0]) + per_cell[1] * (above[1] - below[1]) +
         per_cell_along * (above[2] - below[2]);
}

/// div u of the cell.
template <class Real, class Value, class Metric>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value
divergence(const PointStencil<Real, Value, Metric>& stencil) {
  return stencil.axis[0].per_cell * (stencil.template at<0>(0, 1) - stencil.template at<0>(0, 0)) +
         stencil.axis[1].per_cell * (stencil.template at<1>(1, 1) - stencil.template at<1>(1, 0)) +
         stencil.axis[2].per_cell * (stencil.template at<2>(2, 1) - stencil.template at<2>(2, 0));
}

}  // namespace bankfull::convection
