#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <array>

namespace bankfull::convection {

/// What is added up in each plane across a storage axis P, with B and C the next two: of the
/// velocities u_P, u_B and u_C the first three powers, the products u_P u_B, u_P u_C and u_B u_C,
/// and the parts of eps_u; of each scalar T the first three powers, u_P T, eps_T, u_B T and u_C T.
inline constexpr int sums_of_velocity = 16;
inline constexpr int sums_of_scalar = 7;

inline constexpr int sum_of_products = 9;   ///< the first of three
inline constexpr int sum_of_strain = 12;    ///< at centres; then those of shear of u_P, u_B, u_C
inline constexpr int sum_of_transport = 3;  ///< u_P T, among those of a scalar
inline constexpr int sum_of_scalar_dissipation = 4;
inline constexpr int sum_of_transport_within = 5;  ///< u_B T, then u_C T

/// Along which axes a value lies on the lower face of its cell, not in the middle.
inline constexpr int on_p = 1;
inline constexpr int on_b = 2;
inline constexpr int on_c = 4;

inline constexpr std::array<int, sums_of_velocity> places_of_velocity_sums{
    on_p, on_p,        on_p,        on_b,        on_b, on_b, on_c, on_c,
    on_c, on_p | on_b, on_p | on_c, on_b | on_c, 0,    on_p, on_b, on_c};
inline constexpr std::array<int, sums_of_scalar> places_of_scalar_sums{0, 0,    0,   on_p,
                                                                       0, on_b, on_c};

/// Parts of a plane that belong to a value: [on_b and on_c, shifted by one]. Faces on walls have
/// none: nothing moves there.
struct PlaneParts {
  double of[4] = {};

  BANKFULL_HOST_DEVICE constexpr double at(int place) const { return of[place >> 1]; }
};

template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE double value_at(const PointStencil<Real>& stencil,
                                                            int field, int steps) {
  return static_cast<double>(stencil.template at<A>(field, steps));
}

/// The mean of the squares of both gradients along B around an element. Of what lies between two
/// elements each has as much as it is wide: so the sum over all is that of the budgets, and a
/// uniform gradient is one everywhere. That holds at walls, too: they lie midway between an element
/// and its ghost.
template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE double squared_gradient(
    const PointStencil<Real>& stencil, int field) {
  const AxisMetric<Real>& axis = stencil.axis[B];
  const double here = value_at<B>(stencil, field, 0);
  const double below =
      static_cast<double>(axis.per_face) * (here - value_at<B>(stencil, field, -1));
  const double above =
      static_cast<double>(axis.per_face_next) * (value_at<B>(stencil, field, 1) - here);
  return 0.5 * (below * below + above * above);
}

/// |grad u_A|^2 but for the derivative along A itself, on the lower face of the cell along A.
template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE double squared_shear(
    const PointStencil<Real>& stencil) {
  return squared_gradient<(A + 1) % 3>(stencil, A) + squared_gradient<(A + 2) % 3>(stencil, A);
}

template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE double squared_strain(
    const PointStencil<Real>& stencil) {
  const double strain = static_cast<double>(stencil.axis[A].per_cell) *
                        (value_at<A>(stencil, A, 1) - value_at<A>(stencil, A, 0));
  return strain * strain;
}

/// u_A u_B on the edge where the lower faces of the cell along both meet, each the mean of its
/// neighbours, as the scheme carries momentum.
template <int A, int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE double edge_product(const PointStencil<Real>& stencil) {
  return 0.25 * (value_at<B>(stencil, A, -1) + value_at<B>(stencil, A, 0)) *
         (value_at<A>(stencil, B, -1) + value_at<A>(stencil, B, 0));
}

BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void put_powers(double value, double* to) {
  to[0] = value;
  to[1] = value * value;
  to[2] = value * value * value;
}

/// What is added up of the velocity around one cell, for profiles across P.
template <int P, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void velocity_terms(const PointStencil<Real>& stencil,
                                                                double viscosity,
                                                                double (&terms)[sums_of_velocity]) {
  constexpr int B = (P + 1) % 3;
  constexpr int C = (P + 2) % 3;
  put_powers(value_at<P>(stencil, P, 0), terms);
  put_powers(value_at<P>(stencil, B, 0), terms + 3);
  put_powers(value_at<P>(stencil, C, 0), terms + 6);
  terms[sum_of_products] = edge_product<P, B>(stencil);
  terms[sum_of_products + 1] = edge_product<P, C>(stencil);
  terms[sum_of_products + 2] = edge_product<B, C>(stencil);
  terms[sum_of_strain] = viscosity * (squared_strain<0>(stencil) + squared_strain<1>(stencil) +
                                      squared_strain<2>(stencil));
  terms[sum_of_strain + 1] = viscosity * squared_shear<P>(stencil);
  terms[sum_of_strain + 2] = viscosity * squared_shear<B>(stencil);
  terms[sum_of_strain + 3] = viscosity * squared_shear<C>(stencil);
}

/// u_A T on the lower face of the cell along A, as the scheme carries it.
template <int A, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE double carried_scalar(const PointStencil<Real>& stencil,
                                                                  int field) {
  return value_at<A>(stencil, A, 0) *
         (0.5 * (value_at<A>(stencil, field, -1) + value_at<A>(stencil, field, 0)));
}

/// The same of a scalar.
template <int P, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void scalar_terms(const PointStencil<Real>& stencil,
                                                              int scalar, double diffusivity,
                                                              double (&terms)[sums_of_scalar]) {
  const int field = 3 + scalar;
  const double here = value_at<P>(stencil, field, 0);
  put_powers(here, terms);
  terms[sum_of_transport] = carried_scalar<P>(stencil, field);
  terms[sum_of_scalar_dissipation] =
      diffusivity * (squared_gradient<0>(stencil, field) + squared_gradient<1>(stencil, field) +
                     squared_gradient<2>(stencil, field));
  terms[sum_of_transport_within] = carried_scalar<(P + 1) % 3>(stencil, field);
  terms[sum_of_transport_within + 1] = carried_scalar<(P + 2) % 3>(stencil, field);
}

}  // namespace bankfull::convection
