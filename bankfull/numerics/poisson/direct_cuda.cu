#include "bankfull/numerics/poisson/direct/cuda/solver.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/solver.hpp"

namespace bankfull::poisson {

template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_direct(const Domain& domain, const Stream& stream) {
  require_direct(domain);
  if (auto solver = make_three_pass_direct<Real>(domain, stream)) {
    return solver;
  }
  return std::make_unique<CudaDirect<Real>>(domain, stream, GpuSizes(domain, sizeof(Real)));
}

template std::unique_ptr<Solver<float>> make_cuda_direct<float>(const Domain&, const Stream&);
template std::unique_ptr<Solver<double>> make_cuda_direct<double>(const Domain&, const Stream&);

}  // namespace bankfull::poisson
