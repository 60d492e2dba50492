#include "bankfull/numerics/poisson/direct/cuda/slab_solver.cuh"

namespace bankfull::poisson {

template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_direct(const Domain& domain, const Stream& stream,
                                               const Communicator& ranks, Transport transport) {
  if (ranks.size() == 1) {
    return make_cuda_direct<Real>(domain, stream);
  }
  require_direct(domain);
  static_cast<void>(direct_slabs(domain, ranks.size()));  // refuses more ranks than planes
  const Range slab = slab_of(domain, ranks.rank(), ranks.size());
  return std::make_unique<CudaSlabDirect<Real>>(domain, stream, ranks, transport,
                                                GpuSizes(ring_of_slab(domain, slab), sizeof(Real)));
}

template std::unique_ptr<Solver<float>> make_cuda_direct<float>(const Domain&, const Stream&,
                                                                const Communicator&, Transport);
template std::unique_ptr<Solver<double>> make_cuda_direct<double>(const Domain&, const Stream&,
                                                                  const Communicator&, Transport);

}  // namespace bankfull::poisson
