#pragma once

#include "bankfull/workloads/convection/integrator.hpp"

#include <memory>

namespace bankfull::convection {

/// The oracle of all schedules: serial, fp64, one loop a field, ghosts written by the definition,
/// pressure by conjugate gradients to rounding.
std::unique_ptr<Integrator> make_reference_integrator(const Plan& plan);

/// Bytes that it takes.
std::int64_t reference_integrator_bytes(const Plan& plan);

}  // namespace bankfull::convection
