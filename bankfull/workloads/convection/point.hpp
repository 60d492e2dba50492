#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/metrics.hpp"

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

/// Flux of velocity A along its own axis, u u - nu du/dx, at the centre of the cell that is `cell`
/// cells above face n.
template <int A, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value own_flux(const Near<Real, Value>& near,
                                                           Real viscosity, int cell,
                                                           Real per_width) {
  const Value below = near.template at<A>(A, cell);
  const Value above = near.template at<A>(A, cell + 1);
  const Value mean = Real(0.5) * (below + above);
  return mean * mean - viscosity * (per_width * (above - below));
}

/// Flux of velocity A along another axis B, v u - nu du/dy, at the edge `edge` cells above the
/// point. The transporting v is weighted by volume, so that the divergence of the fluxes around a
/// velocity is the mean of the divergences of its two cells: zero.
template <int A, int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value cross_flux(const Near<Real, Value>& near,
                                                             Real viscosity, int edge,
                                                             Real per_distance) {
  const Real weight = near.axis[A].weight;
  const Value transporting = weight * near.template at<A, B>(B, -1, edge) +
                             (Real(1) - weight) * near.template at<B>(B, edge);
  const Value below = near.template at<B>(A, edge - 1);
  const Value above = near.template at<B>(A, edge);
  return transporting * (Real(0.5) * (below + above)) -
         viscosity * (per_distance * (above - below));
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
  return (Real(1) - weight) * near.template at<A>(3 + scalar, -1) +
         weight * near.template at<A>(3 + scalar, 0);
}

/// Velocity B where velocity A lies: the mean of the four around it, weighted by volume, so that the
/// Coriolis forces of A and B do opposite work.
template <int A, int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value velocity_beside(const Near<Real, Value>& near) {
  const Real weight = near.axis[A].weight;
  const Value below = near.template at<A, B>(B, -1, 0) + near.template at<A, B>(B, -1, 1);
  const Value above = near.template at<B>(B, 0) + near.template at<B>(B, 1);
  return Real(0.5) * (weight * below + (Real(1) - weight) * above);
}

/// G of velocity A without pressure: -(u . grad) u + nu lap u + sum of g alpha T - 2 Omega x u.
template <int A, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value momentum_tendency(const Near<Real, Value>& near,
                                                                    const Medium<Real>& medium) {
  constexpr int B = (A + 1) % 3;
  constexpr int C = (A + 2) % 3;
  Value sum = momentum_transport<A, A>(near, medium.viscosity) +
              momentum_transport<A, B>(near, medium.viscosity) +
              momentum_transport<A, C>(near, medium.viscosity);
  for (int s = 0; s < medium.scalar_count; ++s) {
    const Real buoyancy = medium.scalars[s].buoyancy[A];
    if (buoyancy != Real(0)) {
      sum = sum + buoyancy * scalar_on_face<A>(near, s);
    }
  }
  if (medium.twice_rotation[B] != Real(0) || medium.twice_rotation[C] != Real(0)) {
    sum = sum + (medium.twice_rotation[C] * velocity_beside<A, B>(near) -
                 medium.twice_rotation[B] * velocity_beside<A, C>(near));
  }
  return sum;
}

/// Flux of a scalar along B, v T - kappa dT/dy, through the face `face` cells above the point.
template <int B, class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value scalar_flux(const Near<Real, Value>& near,
                                                              int scalar, Real diffusivity,
                                                              int face, Real per_distance) {
  const Value below = near.template at<B>(3 + scalar, face - 1);
  const Value above = near.template at<B>(3 + scalar, face);
  return near.template at<B>(B, face) * (Real(0.5) * (below + above)) -
         diffusivity * (per_distance * (above - below));
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

/// div u of the cell.
template <class Real, class Value>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Value divergence(const Near<Real, Value>& near) {
  return near.axis[0].per_cell * (near.template at<0>(0, 1) - near.template at<0>(0, 0)) +
         near.axis[1].per_cell * (near.template at<1>(1, 1) - near.template at<1>(1, 0)) +
         near.axis[2].per_cell * (near.template at<2>(2, 1) - near.template at<2>(2, 0));
}

}  // namespace bankfull::convection
