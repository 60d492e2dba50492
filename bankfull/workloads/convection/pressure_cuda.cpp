#include "bankfull/build_config.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/workloads/convection/pressure.hpp"

namespace bankfull::convection {

template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cuda_pressure(const Plan& plan, const Stream& stream,
                                                          const double* weight) {
  if constexpr (build::cufft) {
    if (plan.solver() == PressureSolver::direct) {
      return plan.is_shared()
                 ? poisson::make_cuda_direct<Real>(plan.grid().domain(), stream, *plan.ranks())
                 : poisson::make_cuda_direct<Real>(plan.grid().domain(), stream);
    }
  }
  return poisson::make_cuda_multigrid<Real>(
      plan.grid().domain(), {.tolerance = plan.problem().divergence, .factor = weight}, stream,
      plan.sharing());
}

template std::unique_ptr<poisson::Solver<float>> make_cuda_pressure(const Plan&, const Stream&,
                                                                    const double*);
template std::unique_ptr<poisson::Solver<double>> make_cuda_pressure(const Plan&, const Stream&,
                                                                     const double*);

}  // namespace bankfull::convection
