#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cstdint>

namespace bankfull::convection {

/// Scalars that one flow can carry.
inline constexpr int max_scalars = 12;

/// Fields that one flow may have.
inline constexpr int max_fields = 3 + max_scalars;

/// Metrics of one storage axis around index n: cell n, and face n on its lower side.
template <class Real>
struct AxisMetric {
  Real per_cell{};         ///< 1 / width of cell n
  Real per_cell_before{};  ///< 1 / width of cell n - 1
  Real per_face{};         ///< 1 / distance of the centres on both sides of face n
  Real per_face_next{};    ///< the same of face n + 1
  Real weight{};           ///< width(n - 1) / (width(n - 1) + width(n))
};

template <class Real>
struct ScalarMedium {
  Real diffusivity = 0;
  Real buoyancy[3] = {};    ///< along the storage axes
  Real total_buoyancy = 0;  ///< the sum of their magnitudes
};

/// What the fluid is, along storage axes.
template <class Real>
struct Medium {
  Real viscosity = 0;
  Real twice_rotation[3] = {};  ///< 2 Omega, its sign turned where storage is left-handed
  Real reference[3] =
      {};  ///< acceleration that walls carry at any rate; see reference_acceleration
  bool implicit_along[3] = {};  ///< axes along which diffusion is no part of tendencies
  int scalar_count = 0;
  ScalarMedium<Real> scalars[max_scalars] = {};
};

/// Which terms a loop over points is compiled for.
enum class Terms {
  usual,  ///< of a flow with one scalar, without rotation and sources: no branch between loads
  all,
};

/// Which diffusion tendencies contain.
enum class Diffusion {
  whole,
  within_planes,  ///< that along rows and columns: along planes it is implicit
  explicit_axes,  ///< that along axes which are not Medium::implicit_along
};

/// In the place of a diffusivity: none, without an operation.
struct Inviscid {};

template <class Real>
Terms terms_of(const Medium<Real>& medium, bool has_sources) {
  const Real* const rotation = medium.twice_rotation;
  const bool rotates = rotation[0] != 0 || rotation[1] != 0 || rotation[2] != 0;
  return medium.scalar_count == 1 && !rotates && !has_sources ? Terms::usual : Terms::all;
}

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

}  // namespace bankfull::convection
