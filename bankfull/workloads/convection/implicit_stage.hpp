#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/scheme.hpp"

namespace bankfull::convection {

/// What a stage multiplies by.
template <class Real>
struct StageFactors {
  Real gamma = 0;
  Real zeta = 0;
  bool store_tendency = true;
};

/// What a stage with implicit diffusion multiplies by; see Stage.
template <class Real>
struct ImplicitFactors {
  StageFactors<Real> tendencies;
  Real length = 0;              ///< the gradient of the known pressure: tau
  Real differences = 0;         ///< nu times second differences: tau, or (1 - theta) tau for values
  Real start = 0;               ///< the field: 1 where lines are solved for values, 0 for changes
  Real implicit_viscosity = 0;  ///< theta tau nu
  Real pressure_per_potential = 0;  ///< 1 / time
};

/// `for_values`: whether lines are solved for the new values; else for what changes.
template <class Real>
BANKFULL_HOST_DEVICE ImplicitFactors<Real> implicit_factors_of(const Stage& stage, double viscosity,
                                                               bool for_values) {
  const double differences = stage.length() - (for_values ? stage.implicit_time() : 0.0);
  return {.tendencies = {static_cast<Real>(stage.gamma), static_cast<Real>(stage.zeta),
                         stage.store_tendency},
          .length = static_cast<Real>(stage.length()),
          .differences = static_cast<Real>(differences),
          .start = static_cast<Real>(for_values ? 1.0 : 0.0),
          .implicit_viscosity = static_cast<Real>(stage.implicit_time() * viscosity),
          .pressure_per_potential = static_cast<Real>(stage.pressure_per_potential())};
}

}  // namespace bankfull::convection
