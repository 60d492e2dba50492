#pragma once

#include "bankfull/workloads/convection/integrator.hpp"

#include <memory>

namespace bankfull::convection {

/// The tuned schedule of one GPU, in builds with CUDA only. Nothing crosses to the host in a stage:
/// all of its kernels, the pressure solve among them, are one graph whose factors lie in the GPU's
/// memory.
template <class Real>
std::unique_ptr<Integrator> make_cuda_integrator(const Plan& plan);

}  // namespace bankfull::convection
