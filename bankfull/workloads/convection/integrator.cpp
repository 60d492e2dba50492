#include "bankfull/workloads/convection/integrator.hpp"

#include "bankfull/build_config.hpp"

namespace bankfull::convection {
namespace {

template <class Real>
std::unique_ptr<Integrator> make_tuned(const Plan& plan) {
  if constexpr (build::cuda) {
    if (plan.problem().device.is_cuda()) {
      return make_cuda_integrator<Real>(plan);
    }
  }
  return make_cpu_integrator<Real>(plan);
}

}  // namespace

std::unique_ptr<Integrator> make_integrator(const Plan& plan) {
  plan.require_memory();
  if (plan.problem().schedule == Schedule::reference) {
    return make_reference_integrator(plan);
  }
  return plan.problem().precision == Precision::fp32 ? make_tuned<float>(plan)
                                                     : make_tuned<double>(plan);
}

}  // namespace bankfull::convection
