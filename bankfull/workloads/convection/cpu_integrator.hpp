#pragma once

#include "bankfull/workloads/convection/integrator.hpp"

#include <memory>

namespace bankfull::convection {

/// The tuned schedule of a team of threads. A flow lives in two sets of fields: a stage reads one
/// and writes the other past the caches, in SIMD packs along the rows; planes are shared by the
/// team, and rows go in blocks whose three planes stay in a core's cache.
template <class Real>
std::unique_ptr<Integrator> make_cpu_integrator(const Plan& plan);

}  // namespace bankfull::convection
