#include "bankfull/build_config.hpp"
#include "bankfull/numerics/poisson/cell_copies.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/field_solver.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"

namespace bankfull::poisson {
namespace {

template <class Real>
std::unique_ptr<Solver<Real>> make_on_gpu(Method method, const Domain& domain,
                                          const DecomposedGrid& grid, const Stopping& stopping,
                                          const Stream& stream) {
  if constexpr (build::cufft) {
    if (method == Method::direct) {
      return make_cuda_direct<Real>(domain, stream, grid.ranks());
    }
  }
  return make_cuda_multigrid<Real>(domain, stopping, stream, detail::sharing_of(grid));
}

}  // namespace

template <class Real>
FieldSolver<Real>::FieldSolver(const Domain& domain, const DecomposedGrid& grid,
                               const Stream& stream, const Stopping& stopping, Method method)
    : method_(detail::chosen_method(method, domain, grid, stream.device())),
      interior_(grid.interior()),
      solver_(make_on_gpu<Real>(method_, domain, grid, stopping, stream)) {
  const auto copy = [on = &stream, box = interior_](const auto& from, const auto& to) {
    queue_copy(*on, box, copy_cells(from, to));
  };
  copy_in_ = copy;
  copy_out_ = copy;
}

template FieldSolver<float>::FieldSolver(const Domain&, const DecomposedGrid&, const Stream&,
                                         const Stopping&, Method);
template FieldSolver<double>::FieldSolver(const Domain&, const DecomposedGrid&, const Stream&,
                                          const Stopping&, Method);

}  // namespace bankfull::poisson
