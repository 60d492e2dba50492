#pragma once

#include "bankfull/core/comm/decomposed_grid.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/view.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"

#include <functional>
#include <memory>
#include <string>

namespace bankfull::poisson {

/// How a Poisson equation is solved.
enum class Method {
  automatic,  ///< directly where that is possible, else by multigrid
  direct,
  multigrid,
};

/// Why a method does not serve this domain, on such a device, with the grid's ranks; empty if it
/// does. Of `automatic`: why none does.
std::string obstacle(Method method, const Domain& domain, const DecomposedGrid& grid,
                     Device device);

/// A grid for a domain that a FieldSolver serves: on several ranks the direct solver wants slabs
/// along i, and multigrid blocks that are cut along i and j, but not along lines (see uncut_axis).
/// Throws UsageError if the ranks cannot share the domain.
DecomposedGrid make_grid(const Communicator& ranks, const Domain& domain, Device device,
                         Method method = Method::automatic, const HaloShape& halo = {});

/// Solves a Poisson equation with the caller's fields, again and again. Chooses its method, and
/// refuses what none serves. It copies the right side in and the solution out, one pass over memory
/// each; who wants to do without writes to a Solver's slots.
///
/// Making one and solving are collective. The communicator of the grid and a stream must outlive
/// it.
template <class Real>
class FieldSolver {
 public:
  /// Throws UsageError with the reason where the method does not serve. `stopping` is multigrid's.
  FieldSolver(const Domain& domain, const DecomposedGrid& grid, const Team& team,
              const Stopping& stopping = {}, Method method = Method::automatic);

  /// The same on a GPU; exists in builds with CUDA only.
  FieldSolver(const Domain& domain, const DecomposedGrid& grid, const Stream& stream,
              const Stopping& stopping = {}, Method method = Method::automatic);
  FieldSolver(const Domain& domain, const DecomposedGrid& grid, const Stream&& stream,
              const Stopping& stopping = {}, Method method = Method::automatic) = delete;

  /// Solves for the right side in this rank's interior cells, and writes the solution there, none
  /// of the ghost cells; both may be the same field. Multigrid starts from the last solution,
  /// unless told to `forget` it. On a stream the work is queued, after which multigrid waits for
  /// its outcome. Throws UsageError for a view without all of these cells.
  Outcome solve(FieldView<const Real> right_side, FieldView<Real> solution);

  /// The next solve starts from nothing.
  void forget() { solver_->forget(); }

  /// The method in use; never `automatic`.
  [[nodiscard]] Method method() const { return method_; }

  /// Of all ranks together; see Solver. The copies are not counted.
  [[nodiscard]] Traffic traffic() const { return solver_->traffic(); }

 private:
  using Copy = std::function<void(FieldView<const Real>, CellSlots<Real>)>;
  using CopyBack = std::function<void(CellSlots<Real>, FieldView<Real>)>;

  Method method_;
  Box interior_;
  std::unique_ptr<Solver<Real>> solver_;
  Copy copy_in_;
  CopyBack copy_out_;
};

namespace detail {
/// Collective: `direct` or `multigrid`. All ranks throw UsageError where the method serves one of
/// them not.
Method chosen_method(Method method, const Domain& domain, const DecomposedGrid& grid,
                     Device device);
Sharing sharing_of(const DecomposedGrid& grid);
}  // namespace detail

}  // namespace bankfull::poisson
