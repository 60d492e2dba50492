#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/work.hpp"
#include "bankfull/workloads/hpcg/level.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::hpcg {

enum class Operation {
  spmv,  ///< y = A x
  mg,    ///< y = M^-1 x, one cycle of multigrid
};

/// A step of an iteration: its time and work.
struct Step {
  std::string name;  ///< "forward sweep"
  int level = 0;
  double seconds = 0.0;  ///< of the slowest rank, median of the repeats
  Work work = {};        ///< of this rank
};

/// One way to solve the system: an order of rows, a format, and the kernels for them. It owns the
/// vectors of conjugate gradients, x, r, z, p and A p, and the scalars between its steps.
///
/// The steps only queue work where that is possible. Everything is collective.
class CgBackend {
 public:
  virtual ~CgBackend() = default;

  /// Multiplies the stored diagonal and the right-hand side for the spectral test, or takes them as
  /// they are again. The reference solves with the system's own matrix: while its diagonal is
  /// exaggerated, no other backend may be constructed or have its diagonal exaggerated.
  virtual void exaggerate_diagonal(bool exaggerated) = 0;

  /// x = 0, p = x, r = b - A p; forms r.r.
  virtual void start() = 0;

  /// z = M^-1 r, or z = r; forms r.z.
  virtual void precondition(bool multigrid) = 0;

  /// p = z in the first iteration, else p = z + (r.z / previous r.z) p.
  virtual void update_direction(bool first) = 0;

  /// A p; forms p.Ap.
  virtual void multiply() = 0;

  /// x += a p, r -= a A p with a = r.z / p.Ap; forms r.r.
  virtual void update_solution() = 0;

  /// Completes deferred updates; x is then the solution.
  virtual void finish() {}

  /// r.r of the last step that formed it; waits for it.
  virtual double squared_residual() = 0;

  /// Times of the steps since the last call; waits for them. `total` is left 0.
  virtual CgTimes take_times() = 0;

  /// The result of one operation on this rank's rows in their natural order; slow, for checks.
  virtual std::vector<double> apply(Operation operation, const std::vector<double>& x) = 0;

  /// x in the natural order of rows.
  virtual std::vector<double> solution() = 0;

  /// r in the natural order of rows: the recurrence's value of b - A x.
  virtual std::vector<double> recurrence_residual() = 0;

  /// Times each step of an iteration separately, `repeats` times; empty if not supported.
  virtual std::vector<Step> profile(int repeats) = 0;

  /// Bytes of this rank's data beyond the set-up's.
  [[nodiscard]] virtual std::int64_t added_bytes() const = 0;

  /// How messages travel.
  [[nodiscard]] virtual Transport transport() const = 0;

  /// How columns are kept.
  [[nodiscard]] virtual ColumnIndices columns() const { return ColumnIndices::full; }

  /// Notes for the result.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// The system of one rank on its device, as the benchmark's set-up leaves it, and the ways to solve
/// it. Everything is collective.
class System {
 public:
  virtual ~System() = default;

  [[nodiscard]] virtual const std::vector<Level>& levels() const = 0;

  /// Rows of this rank, of all levels, that are not those of the benchmark; read where they are
  /// stored. See CheckRow.
  [[nodiscard]] virtual std::int64_t wrong_rows() const = 0;

  /// Multiplies the stored values of all levels by 1 + epsilon for all backends that are
  /// constructed afterwards; 0 restores the original bits. The right-hand side is unchanged. No
  /// backend may exist during the call.
  virtual void perturb(double epsilon) = 0;

  /// Whether sweeps of a level of so many rows may be pipelined.
  [[nodiscard]] virtual bool may_pipeline(std::int64_t /*rows*/) const { return false; }

  /// A new backend; backends must not outlive their system.
  virtual std::unique_ptr<CgBackend> make_backend(Variant variant) = 0;
};

/// Collective: builds the system. `ranks` must outlive it.
///
/// Backends work with any stored matrix: with `matrices`, one per level, they solve another system,
/// whose solution is also 1 everywhere. Rows are this rank's in their natural order, and columns of
/// other ranks are among those of the level's geometry; all ranks together must have entries on
/// both sides of the diagonal, which no row lacks. Rows have at most max_entries.
std::unique_ptr<System> make_system(const Problem& problem, const Communicator& ranks,
                                    const std::vector<HostCsr>& matrices = {});

namespace detail {
// Defined in system_cuda.cu, which exists in builds with CUDA only.
std::unique_ptr<System> make_cuda_system(const Problem& problem, const Communicator& ranks,
                                         const std::vector<HostCsr>& matrices);
}  // namespace detail

}  // namespace bankfull::hpcg
