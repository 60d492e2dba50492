#pragma once

#include "bankfull/workloads/convection/point.hpp"

// Scalars that stay within their bounds: flux-corrected transport, S. T. Zalesak, J. Comput. Phys.
// 31 (1979) 335-362. A stage advances them by centred fluxes like all others, T_high, and takes
// from that what would carry them beyond the values around a cell:
//
//   A = zeta (F_before - F) + tau |u| (T_above - T_below) / 2     the flux of a stage, centred less
//                                                                upwind, through each face
//   T_new = T_high + div((1 - C) A)                               with C of each face, 0 <= C <= 1
//
// With C = 0 that is T_low: upwind fluxes for tau, the length of the stage, by Euler's rule.

namespace bankfull::convection {

/// Operations of the functions below, as PointFlops.
struct BoundedFlops {
  static constexpr int flux = 7;             ///< scalar_flux
  static constexpr int antidiffusion = 7;    ///< of one face, beside its flux
  static constexpr int upwind_value = 76;    ///< with the fluxes of all faces
  static constexpr int on_wall = 2;          ///< value_beyond, on a wall only
  static constexpr int limiter_ratios = 20;  ///< limiter_ratios_of
  static constexpr int corrected = 21;
  static constexpr int production = 2;
  static constexpr int exchange_rate = 10;
};

/// What a stage does to bounded scalars.
template <class Real>
struct BoundedStage {
  Real length{};  ///< tau
  Real zeta{};
  bool store_flux = true;  ///< F becomes F_before of later stages
};

template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real greater_of(const Real& a, const Real& b) {
  return a < b ? b : a;
}

template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real lesser_of(const Real& a, const Real& b) {
  return b < a ? b : a;
}

template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real positive_part(const Real& x) {
  return greater_of(x, Real(0));
}

/// |u| (T_above - T_below) / 2: by how much an upwind flux is less than a centred one, through the
/// face `face` cells above the point.
template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real upwind_part(const PointStencil<Real>& stencil,
                                                             int scalar, int face) {
  const Real half_speed = Real(0.5) * magnitude_of(stencil.template at<B>(B, face));
  return half_speed *
         (stencil.template at<B>(3 + scalar, face) - stencil.template at<B>(3 + scalar, face - 1));
}

/// A, scalar times length, from the centred fluxes F of this stage and of the one before.
template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real antidiffusion(const PointStencil<Real>& stencil,
                                                               int scalar,
                                                               const BoundedStage<Real>& stage,
                                                               int face, const Real& flux,
                                                               const Real& before) {
  return plus_product(stage.length, upwind_part<B>(stencil, scalar, face),
                      stage.zeta * (before - flux));
}

template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real upwind_transport(const PointStencil<Real>& stencil,
                                                                  int scalar,
                                                                  const Real& diffusivity) {
  const AxisMetric<Real>& axis = stencil.axis[B];
  const Real below = scalar_flux<B>(stencil, scalar, diffusivity, 0, axis.per_face) -
                     upwind_part<B>(stencil, scalar, 0);
  const Real above = scalar_flux<B>(stencil, scalar, diffusivity, 1, axis.per_face_next) -
                     upwind_part<B>(stencil, scalar, 1);
  return axis.per_cell * (below - above);
}

/// T_low, but for sources: a mean, of weights that are not negative and add up to 1 - tau div u, of
/// the values here, around and on walls, as long as tau times exchange_rate is at most 1.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real upwind_value(const PointStencil<Real>& stencil,
                                                              int scalar, const Real& diffusivity,
                                                              const Real& length) {
  return plus_product(length,
                      upwind_transport<0>(stencil, scalar, diffusivity) +
                          upwind_transport<1>(stencil, scalar, diffusivity) +
                          upwind_transport<2>(stencil, scalar, diffusivity),
                      stencil.template at<0>(3 + scalar, 0));
}

template <class Real>
struct ValueRange {
  Real least;
  Real most;

  BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void add(const Real& value) {
    least = lesser_of(least, value);
    most = greater_of(most, value);
  }
};

/// What a cell exchanges with beyond its lower (-1) or upper (1) face: the cell there, or the value
/// on a wall, which is the mean of both sides.
template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real value_beyond(const PointStencil<Real>& stencil,
                                                              int scalar, int step, bool on_wall) {
  const Real beyond = stencil.template at<B>(3 + scalar, step);
  return on_wall ? Real(0.5) * (beyond + stencil.template at<B>(3 + scalar, 0)) : beyond;
}

template <int B, class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE void add_values_beside(
    const PointStencil<Real>& stencil, int scalar, const CellOnWalls& walls,
    ValueRange<Real>& range) {
  range.add(value_beyond<B>(stencil, scalar, -1, walls.lower[B]));
  range.add(value_beyond<B>(stencil, scalar, 1, walls.upper[B]));
}

/// The values that a bounded scalar may take in a stage: those here, around and on walls.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE ValueRange<Real> values_around(
    const PointStencil<Real>& stencil, int scalar, const CellOnWalls& walls) {
  const Real here = stencil.template at<0>(3 + scalar, 0);
  ValueRange<Real> range{here, here};
  add_values_beside<0>(stencil, scalar, walls, range);
  add_values_beside<1>(stencil, scalar, walls, range);
  add_values_beside<2>(stencil, scalar, walls, range);
  return range;
}

/// Zalesak's R+ and R-: the fractions of all that would raise a cell's value, and of all that would
/// lower it, that keep it in its range.
template <class Real>
struct LimiterRatios {
  Real rise;
  Real fall;
};

/// What belongs to the faces of a cell, on its lower sides and on its upper ones.
template <class Real>
struct FacePairs {
  Real below[3];
  Real above[3];
};

template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real limiter_ratio(const Real& allowed,
                                                               const Real& wanted) {
  constexpr double next_to_nothing = 1e-30;
  return lesser_of(Real(1), positive_part(allowed) / greater_of(wanted, Real(next_to_nothing)));
}

/// What enters a cell along one axis, where positive fluxes go upwards, over its width.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real entering(const Real& per_cell, const Real& below,
                                                          const Real& above) {
  return per_cell * (positive_part(below) + positive_part(-above));
}

template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real entering(const AxisMetric<Real> (&axis)[3],
                                                          const Real (&below)[3],
                                                          const Real (&above)[3]) {
  return entering(axis[0].per_cell, below[0], above[0]) +
         entering(axis[1].per_cell, below[1], above[1]) +
         entering(axis[2].per_cell, below[2], above[2]);
}

template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE LimiterRatios<Real> limiter_ratios_of(
    const PointStencil<Real>& stencil, const FacePairs<Real>& flux, const Real& low,
    const ValueRange<Real>& range) {
  // What leaves enters against the axes.
  const FacePairs<Real> back{{-flux.below[0], -flux.below[1], -flux.below[2]},
                             {-flux.above[0], -flux.above[1], -flux.above[2]}};
  return {limiter_ratio(range.most - low, entering(stencil.axis, flux.below, flux.above)),
          limiter_ratio(low - range.least, entering(stencil.axis, back.below, back.above))};
}

/// (1 - C) A of a face with these cells below and above.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real withheld(const Real& flux,
                                                          const LimiterRatios<Real>& below,
                                                          const LimiterRatios<Real>& above) {
  const Real part =
      flux > Real(0) ? lesser_of(above.rise, below.fall) : lesser_of(below.rise, above.fall);
  return (Real(1) - part) * flux;
}

/// A through the lower faces of cells across the axes, and the limiter ratios of the cells, around
/// one of them. Arrays are as far apart as the flow's fields: three of A, then rise and fall.
template <class Real>
struct BoundedPoint {
  FlowStrides strides;
  const Real* flux = nullptr;
  const Real* limiter_ratios = nullptr;

  /// Across B, through the lower face (0) or the upper one (1).
  template <int B>
  [[nodiscard]] BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real flux_through(int face) const {
    return flux[B * strides.field + face * strides.template along<B>()];
  }

  [[nodiscard]] BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE FacePairs<Real> fluxes() const {
    return {{flux_through<0>(0), flux_through<1>(0), flux_through<2>(0)},
            {flux_through<0>(1), flux_through<1>(1), flux_through<2>(1)}};
  }

  [[nodiscard]] BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE LimiterRatios<Real> limiter_ratios_at(
      std::int64_t offset) const {
    return {limiter_ratios[offset], limiter_ratios[strides.field + offset]};
  }

  /// d/dB of (1 - C) A.
  template <int B>
  [[nodiscard]] BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real
  correction_along(const AxisMetric<Real>& axis) const {
    const std::int64_t step = strides.template along<B>();
    const LimiterRatios<Real> here = limiter_ratios_at(0);
    return axis.per_cell * (withheld(flux_through<B>(1), here, limiter_ratios_at(step)) -
                            withheld(flux_through<B>(0), limiter_ratios_at(-step), here));
  }

  /// div((1 - C) A).
  [[nodiscard]] BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real
  correction(const AxisMetric<Real> (&axis)[3]) const {
    return correction_along<0>(axis[0]) + correction_along<1>(axis[1]) +
           correction_along<2>(axis[2]);
  }
};

/// How fast a cell gives away what is in it, at most: the sum of |u| / h over the faces where it
/// flows out, and of what diffuses, 1 / time. `diffusion`: see diffusive_exchange.
template <class Real>
BANKFULL_ALWAYS_INLINE BANKFULL_HOST_DEVICE Real exchange_rate(const AxisMetric<Real> (&axis)[3],
                                                               const FacePairs<Real>& velocity,
                                                               const Real& diffusion_across,
                                                               const Real& diffusion_along) {
  const Real outflow = entering(axis[0].per_cell, -velocity.below[0], -velocity.above[0]) +
                       entering(axis[1].per_cell, -velocity.below[1], -velocity.above[1]) +
                       entering(axis[2].per_cell, -velocity.below[2], -velocity.above[2]);
  return outflow + (diffusion_across + diffusion_along);
}

}  // namespace bankfull::convection
