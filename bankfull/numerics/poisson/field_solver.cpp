#include "bankfull/numerics/poisson/field_solver.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/numerics/poisson/cell_copies.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"

namespace bankfull::poisson {
namespace {

template <class Real>
std::unique_ptr<Solver<Real>> make(Method method, const Domain& domain, const DecomposedGrid& grid,
                                   const Stopping& stopping, const Team& team) {
  return method == Method::direct
             ? make_cpu_direct<Real>(domain, team.threads(), grid.ranks())
             : make_cpu_multigrid<Real>(domain, stopping, team.threads(), detail::sharing_of(grid));
}

}  // namespace

template <class Real>
FieldSolver<Real>::FieldSolver(const Domain& domain, const DecomposedGrid& grid, const Team& team,
                               const Stopping& stopping, Method method)
    : method_(detail::chosen_method(method, domain, grid, Device::cpu())),
      interior_(grid.interior()),
      solver_(make<Real>(method_, domain, grid, stopping, team)) {
  const auto copy = [team, box = interior_](const auto& from, const auto& to) {
    for_each(team, box, copy_cells(from, to));
  };
  copy_in_ = copy;
  copy_out_ = copy;
}

template <class Real>
Outcome FieldSolver<Real>::solve(FieldView<const Real> right_side, FieldView<Real> solution) {
  for (const Box& reach : {right_side.reach, solution.reach}) {
    require(contains(reach, interior_), "a view has not all cells of this rank's block",
            "solve with fields of the grid that the solver was made for");
  }
  copy_in_(right_side, solver_->right_side());
  solver_->solve();
  copy_out_(solver_->solution(), solution);
  return solver_->outcome();
}

template class FieldSolver<float>;
template class FieldSolver<double>;

}  // namespace bankfull::poisson
