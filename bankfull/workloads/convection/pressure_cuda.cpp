#include "bankfull/build_config.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/pressure.hpp"

namespace bankfull::convection {

template <class Real>
std::unique_ptr<poisson::Solver<Real>> make_cuda_pressure(const Problem& problem, const Grid& grid,
                                                          const Stream& stream) {
  if constexpr (build::cufft) {
    if (chosen_solver(problem) == PressureSolver::direct) {
      return poisson::make_cuda_direct<Real>(grid.domain(), stream);
    }
  }
  return poisson::make_cuda_multigrid<Real>(grid.domain(), {.tolerance = problem.divergence},
                                            stream);
}

template std::unique_ptr<poisson::Solver<float>> make_cuda_pressure(const Problem&, const Grid&,
                                                                    const Stream&);
template std::unique_ptr<poisson::Solver<double>> make_cuda_pressure(const Problem&, const Grid&,
                                                                     const Stream&);

}  // namespace bankfull::convection
