#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/metrics.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace bankfull::convection {

/// The flow around one point (i, j, k): cell, and the faces on its lower sides. Fields 0, 1, 2 are
/// the velocity along the storage axes, scalars follow. A Value is one element, or
/// several of a row in SIMD registers.
template <class Real, class Value = Real>
struct Near {
  const Real* here = nullptr;  ///< velocity 0 at the point
  FlowStrides strides;
  AxisMetric<Real> axis[3];

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

/// x y + z in one rounding, for an element or a pack of them.
template <class X, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value plus_product(const X& x, const Value& y,
                                                               const Value& z) {
  using std::fma;
  return fma(x, y, z);
}

/// Flux of velocity A along its own axis, u u - nu du/dx, at the centre of the cell that is `cell`
/// cells above face n.
template <int A, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value own_flux(const Near<Real, Value>& near,
                                                           Real viscosity, int cell,
                                                           Real per_width) {
  const Value below = near.template at<A>(A, cell);
  const Value above = near.template at<A>(A, cell + 1);
  const Value twice_mean = below + above;
  return plus_product(-viscosity * per_width, above - below,
                      (Real(0.25) * twice_mean) * twice_mean);
}

/// Flux of velocity A along another axis B, v u - nu du/dy, at the edge `edge` cells above the
/// point. The transporting v is weighted by volume, so that the divergence of the fluxes around a
/// velocity is the mean of the divergences of its two cells: zero.
template <int A, int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value cross_flux(const Near<Real, Value>& near,
                                                             Real viscosity, int edge,
                                                             Real per_distance) {
  const Real half_weight = Real(0.5) * near.axis[A].weight;
  const Value half_transporting =
      plus_product(Real(0.5) - half_weight, near.template at<B>(B, edge),
                   half_weight * near.template at<A, B>(B, -1, edge));
  const Value below = near.template at<B>(A, edge - 1);
  const Value above = near.template at<B>(A, edge);
  return plus_product(-viscosity * per_distance, above - below,
                      half_transporting * (below + above));
}

/// - d/dB (flux of velocity A along B), for B = A too.
template <int A, int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value momentum_transport(const Near<Real, Value>& near,
                                                                     Real viscosity) {
  const AxisMetric<Real>& axis = near.axis[B];
  if constexpr (A == B) {
    return axis.per_face * (own_flux<A>(near, viscosity, -1, axis.per_cell_before) -
                            own_flux<A>(near, viscosity, 0, axis.per_cell));
  } else {
    return axis.per_cell * (cross_flux<A, B>(near, viscosity, 0, axis.per_face) -
                            cross_flux<A, B>(near, viscosity, 1, axis.per_face_next));
  }
}

/// A scalar's value on the lower face of the cell along A, by the positions of the two centres.
template <int A, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value scalar_on_face(const Near<Real, Value>& near,
                                                                 int scalar) {
  const Real weight = near.axis[A].weight;
  return plus_product(weight, near.template at<A>(3 + scalar, 0),
                      (Real(1) - weight) * near.template at<A>(3 + scalar, -1));
}

/// Velocity B where velocity A lies: the mean of the four around it, weighted by volume, so that
/// the Coriolis forces of A and B do opposite work.
template <int A, int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value velocity_beside(const Near<Real, Value>& near) {
  const Real half_weight = Real(0.5) * near.axis[A].weight;
  const Value below = near.template at<A, B>(B, -1, 0) + near.template at<A, B>(B, -1, 1);
  const Value above = near.template at<B>(B, 0) + near.template at<B>(B, 1);
  return plus_product(Real(0.5) - half_weight, above, half_weight * below);
}

/// Adds to G of velocity A what acts on the fluid: the sum of g alpha T, and -2 Omega x u.
template <int A, Terms Which, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value with_forces(const Near<Real, Value>& near,
                                                              const Medium<Real>& medium,
                                                              Value sum) {
  if constexpr (Which == Terms::usual) {
    return plus_product(medium.scalars[0].buoyancy[A], scalar_on_face<A>(near, 0), sum);
  }
  for (int s = 0; s < medium.scalar_count; ++s) {
    const Real buoyancy = medium.scalars[s].buoyancy[A];
    if (buoyancy != Real(0)) {
      sum = plus_product(buoyancy, scalar_on_face<A>(near, s), sum);
    }
  }
  constexpr int B = (A + 1) % 3;
  constexpr int C = (A + 2) % 3;
  const Real around_b = medium.twice_rotation[B];
  const Real around_c = medium.twice_rotation[C];
  if (around_b != Real(0) || around_c != Real(0)) {
    sum = plus_product(around_c, velocity_beside<A, B>(near), sum);
    sum = plus_product(-around_b, velocity_beside<A, C>(near), sum);
  }
  return sum;
}

/// G of velocity A without pressure: -(u . grad) u + nu lap u + sum of g alpha T - 2 Omega x u.
template <int A, Terms Which, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value momentum_tendency(const Near<Real, Value>& near,
                                                                    const Medium<Real>& medium) {
  const Value transport = momentum_transport<A, A>(near, medium.viscosity) +
                          momentum_transport<A, (A + 1) % 3>(near, medium.viscosity) +
                          momentum_transport<A, (A + 2) % 3>(near, medium.viscosity);
  return with_forces<A, Which>(near, medium, transport);
}

/// Flux of a scalar along B, v T - kappa dT/dy, through the face `face` cells above the point.
template <int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value scalar_flux(const Near<Real, Value>& near,
                                                              int scalar, Real diffusivity,
                                                              int face, Real per_distance) {
  const Value below = near.template at<B>(3 + scalar, face - 1);
  const Value above = near.template at<B>(3 + scalar, face);
  return plus_product(-diffusivity * per_distance, above - below,
                      (Real(0.5) * near.template at<B>(B, face)) * (below + above));
}

template <int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value scalar_transport(const Near<Real, Value>& near,
                                                                   int scalar, Real diffusivity) {
  const AxisMetric<Real>& axis = near.axis[B];
  return axis.per_cell * (scalar_flux<B>(near, scalar, diffusivity, 0, axis.per_face) -
                          scalar_flux<B>(near, scalar, diffusivity, 1, axis.per_face_next));
}

/// G of a scalar: -div(u T) + kappa lap T.
template <class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value scalar_tendency(const Near<Real, Value>& near,
                                                                  int scalar, Real diffusivity) {
  return scalar_transport<0>(near, scalar, diffusivity) +
         scalar_transport<1>(near, scalar, diffusivity) +
         scalar_transport<2>(near, scalar, diffusivity);
}

/// u + fresh G + previous G_before.
template <class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value advanced(Value value, Real fresh, Value tendency,
                                                           Real previous, Value before) {
  return plus_product(fresh, tendency, plus_product(previous, before, value));
}

/// div u of the cell.
template <class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value divergence(const Near<Real, Value>& near) {
  return near.axis[0].per_cell * (near.template at<0>(0, 1) - near.template at<0>(0, 0)) +
         near.axis[1].per_cell * (near.template at<1>(1, 1) - near.template at<1>(1, 0)) +
         near.axis[2].per_cell * (near.template at<2>(2, 1) - near.template at<2>(2, 0));
}

}  // namespace bankfull::convection
