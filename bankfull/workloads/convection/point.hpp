#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cstdint>

namespace bankfull::convection {

/// Scalars that one flow can carry.
inline constexpr int most_scalars = 12;

/// Metrics of one storage axis around index n: cell n, and face n on its lower side.
template <class Real>
struct AxisMetric {
  Real per_cell = 0;         ///< 1 / width of cell n
  Real per_cell_before = 0;  ///< 1 / width of cell n - 1
  Real per_face = 0;         ///< 1 / distance of the centres on both sides of face n
  Real per_face_next = 0;    ///< the same of face n + 1
  Real weight = 0;           ///< width(n - 1) / (width(n - 1) + width(n))
};

template <class Real>
struct ScalarMedium {
  Real diffusivity = 0;
  Real buoyancy[3] = {};  ///< along the storage axes
};

/// What the fluid is, along storage axes.
template <class Real>
struct Medium {
  Real viscosity = 0;
  Real twice_rotation[3] = {};  ///< 2 Omega, its sign turned where storage is left-handed
  int scalar_count = 0;
  ScalarMedium<Real> scalars[most_scalars] = {};
};

/// Elements from a value to its neighbours, and to the same point of the next field.
struct FlowStrides {
  std::int64_t field = 0;
  std::int64_t plane = 0;
  std::int64_t row = 0;

  template <int Axis>
  BANKFULL_HOST_DEVICE constexpr std::int64_t along() const {
    static_assert(Axis >= 0 && Axis < 3);
    return Axis == 0 ? plane : Axis == 1 ? row : 1;
  }
};

/// The flow around one point (i, j, k): cell, and the faces on its lower sides. Fields 0, 1, 2 are
/// the velocity along the storage axes, scalars follow.
template <class Real>
struct Near {
  const Real* here = nullptr;  ///< velocity 0 at the point
  FlowStrides strides;
  AxisMetric<Real> axis[3];

  /// Field `field`, `steps` steps along `Axis` away.
  template <int Axis>
  BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real at(int field, int steps) const {
    return here[field * strides.field + steps * strides.template along<Axis>()];
  }

  template <int Axis, int Other>
  BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real at(int field, int steps, int other_steps) const {
    return here[field * strides.field + steps * strides.template along<Axis>() +
                other_steps * strides.template along<Other>()];
  }
};

/// Flux of velocity A along its own axis, u u - nu du/dx, at the centre of the cell that is `cell`
/// cells above face n.
template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real own_flux(const Near<Real>& near, Real viscosity,
                                                          int cell, Real per_width) {
  const Real below = near.template at<A>(A, cell);
  const Real above = near.template at<A>(A, cell + 1);
  const Real mean = Real(0.5) * (below + above);
  return mean * mean - viscosity * ((above - below) * per_width);
}

/// Flux of velocity A along another axis B, v u - nu du/dy, at the edge `edge` cells above the
/// point. The transporting v is weighted by volume, so that the divergence of the fluxes around a
/// velocity is the mean of the divergences of its two cells: zero.
template <int A, int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real cross_flux(const Near<Real>& near, Real viscosity,
                                                            int edge, Real per_distance) {
  const Real weight = near.axis[A].weight;
  const Real transporting = weight * near.template at<A, B>(B, -1, edge) +
                            (Real(1) - weight) * near.template at<B>(B, edge);
  const Real below = near.template at<B>(A, edge - 1);
  const Real above = near.template at<B>(A, edge);
  return transporting * (Real(0.5) * (below + above)) -
         viscosity * ((above - below) * per_distance);
}

/// - d/dB (flux of velocity A along B), for B = A too.
template <int A, int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real momentum_transport(const Near<Real>& near,
                                                                    Real viscosity) {
  const AxisMetric<Real>& axis = near.axis[B];
  if constexpr (A == B) {
    return (own_flux<A>(near, viscosity, -1, axis.per_cell_before) -
            own_flux<A>(near, viscosity, 0, axis.per_cell)) *
           axis.per_face;
  } else {
    return (cross_flux<A, B>(near, viscosity, 0, axis.per_face) -
            cross_flux<A, B>(near, viscosity, 1, axis.per_face_next)) *
           axis.per_cell;
  }
}

/// A scalar's value on the lower face of the cell along A, by the positions of the two centres.
template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real scalar_on_face(const Near<Real>& near,
                                                                int scalar) {
  const Real weight = near.axis[A].weight;
  return (Real(1) - weight) * near.template at<A>(3 + scalar, -1) +
         weight * near.template at<A>(3 + scalar, 0);
}

/// Velocity B where velocity A lies: the mean of the four around it.
template <int A, int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real velocity_beside(const Near<Real>& near) {
  const Real weight = near.axis[A].weight;
  const Real below = near.template at<A, B>(B, -1, 0) + near.template at<A, B>(B, -1, 1);
  const Real above = near.template at<B>(B, 0) + near.template at<B>(B, 1);
  return Real(0.5) * ((Real(1) - weight) * below + weight * above);
}

/// G of velocity A without pressure: -(u . grad) u + nu lap u + sum of g alpha T - 2 Omega x u.
template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real momentum_tendency(const Near<Real>& near,
                                                                   const Medium<Real>& medium) {
  constexpr int B = (A + 1) % 3;
  constexpr int C = (A + 2) % 3;
  Real sum = momentum_transport<A, A>(near, medium.viscosity) +
             momentum_transport<A, B>(near, medium.viscosity) +
             momentum_transport<A, C>(near, medium.viscosity);
  for (int s = 0; s < medium.scalar_count; ++s) {
    const Real buoyancy = medium.scalars[s].buoyancy[A];
    if (buoyancy != Real(0)) {
      sum += buoyancy * scalar_on_face<A>(near, s);
    }
  }
  if (medium.twice_rotation[B] != Real(0) || medium.twice_rotation[C] != Real(0)) {
    sum += medium.twice_rotation[C] * velocity_beside<A, B>(near) -
           medium.twice_rotation[B] * velocity_beside<A, C>(near);
  }
  return sum;
}

/// Flux of a scalar along B, v T - kappa dT/dy, through the face `face` cells above the point.
template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real scalar_flux(const Near<Real>& near, int scalar,
                                                             Real diffusivity, int face,
                                                             Real per_distance) {
  const Real below = near.template at<B>(3 + scalar, face - 1);
  const Real above = near.template at<B>(3 + scalar, face);
  return near.template at<B>(B, face) * (Real(0.5) * (below + above)) -
         diffusivity * ((above - below) * per_distance);
}

template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real scalar_transport(const Near<Real>& near,
                                                                  int scalar, Real diffusivity) {
  const AxisMetric<Real>& axis = near.axis[B];
  return (scalar_flux<B>(near, scalar, diffusivity, 0, axis.per_face) -
          scalar_flux<B>(near, scalar, diffusivity, 1, axis.per_face_next)) *
         axis.per_cell;
}

/// G of a scalar: -div(u T) + kappa lap T.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real scalar_tendency(const Near<Real>& near, int scalar,
                                                                 Real diffusivity) {
  return scalar_transport<0>(near, scalar, diffusivity) +
         scalar_transport<1>(near, scalar, diffusivity) +
         scalar_transport<2>(near, scalar, diffusivity);
}

/// div u of the cell.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real divergence(const Near<Real>& near) {
  return (near.template at<0>(0, 1) - near.template at<0>(0, 0)) * near.axis[0].per_cell +
         (near.template at<1>(1, 1) - near.template at<1>(1, 0)) * near.axis[1].per_cell +
         (near.template at<2>(2, 1) - near.template at<2>(2, 0)) * near.axis[2].per_cell;
}

}  // namespace bankfull::convection
