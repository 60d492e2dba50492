#include "bankfull/workloads/convection/integrator.hpp"

#include "bankfull/build_config.hpp"

namespace bankfull::convection {

std::unique_ptr<Integrator> make_integrator(const Plan& plan) {
  plan.require_memory();
  if (plan.problem().schedule == Schedule::reference) {
    return make_reference_integrator(plan);
  }
  if constexpr (build::cuda) {
    if (plan.problem().device.is_cuda()) {
      return plan.problem().precision == Precision::fp32 ? make_cuda_integrator<float>(plan)
                                                         : make_cuda_integrator<double>(plan);
    }
  }
  return make_cpu_integrator(plan);
}

}  // namespace bankfull::convection
