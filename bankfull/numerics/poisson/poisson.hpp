#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/numerics/poisson/face_velocity.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace bankfull::poisson {

/// The cells along one axis.
struct Axis {
  std::vector<double> widths;  ///< of each cell, from the lower end to the upper
  bool periodic = false;       ///< else a wall at both ends, through which nothing flows

  /// How many there are: one of each width.
  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(widths.size()); }
  /// Whether all widths are the same, to 1e-12 of the first.
  [[nodiscard]] bool uniform() const;

  /// Distance between the centres of the cells on both sides of face n, 0 <= n <= cells(). Beyond a
  /// wall lies the mirror image of the first cell, beyond a periodic end the first cell itself.
  [[nodiscard]] double distance(std::int64_t face) const;
};

/// The largest width over the smallest one. Throws UsageError for an axis without cells.
double width_ratio(const Axis& axis);

/// A box of cells on which the discrete Poisson equation
///
///   sum over the axes of [ (p(+1) - p) / distance(+) - (p - p(-1)) / distance(-) ] / width = f
///
/// is solved: the divergence of the gradient on a staggered grid. At walls the difference through
/// the wall is zero. The solution is unique up to a constant, and exists where the sum of f times
/// volume is zero; solvers subtract the mean of f, which is rounding in a flow solver.
struct Domain {
  Axis i;  ///< slowest in memory
  Axis j;  ///< rows of a plane
  Axis k;  ///< contiguous in memory

  /// Numbers of cells along i, j and k.
  [[nodiscard]] Extents extents() const { return {i.cells(), j.cells(), k.cells()}; }
};

/// Throws UsageError unless each axis has cells, of finite positive widths. Those who make solvers
/// call it.
void require_cells(const Domain& domain);

/// Where cell n of an axis of `folded` cells lies: even cells in order, then odd ones from the last
/// to the first, the order in which a cosine transform is a Fourier transform (J. Makhoul, "A fast
/// cosine transform in one and two dimensions", IEEE Trans. ASSP 28, 1980). 0: in order.
BANKFULL_HOST_DEVICE constexpr std::int64_t slot_of(std::int64_t cell, std::int64_t folded) {
  if (folded == 0) {
    return cell;
  }
  return cell % 2 == 0 ? cell / 2 : folded - 1 - cell / 2;
}

/// Where a solver wants the right side of each cell and leaves the solution: a view as FieldView,
/// small and passed by value, whose bounds are checked where assertions are on, in kernels too.
template <class Real>
struct CellSlots {
  Real* data = nullptr;          ///< slot of cell (0, 0, 0), on the solver's device
  std::int64_t plane_pitch = 0;  ///< elements from a plane of i to the next
  std::int64_t row_pitch = 0;    ///< elements from a row of slots to the next
  std::int64_t folded_j = 0;     ///< see slot_of
  std::int64_t folded_k = 0;     ///< likewise
  Box reach = {};  ///< cells that have a slot: those of ranks before a block too, where it has them

  /// The slot of a cell within `reach`.
  BANKFULL_HOST_DEVICE Real& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    expects(i >= reach.i0 && i < reach.i1, "i has a slot");
    expects(j >= reach.j0 && j < reach.j1, "j has a slot");
    expects(k >= reach.k0 && k < reach.k1, "k has a slot");
    return data[i * plane_pitch + slot_of(j, folded_j) * row_pitch + slot_of(k, folded_k)];
  }
};

/// How the last solve went.
struct Outcome {
  int cycles = 0;         ///< V-cycles; 0 for a direct solver
  double residual = 0.0;  ///< max |f - L p|, as far as the solver knows it; 0 for a direct solver
  /// The residual is within the bound of Stopping; true for a direct solver.
  bool converged = true;
};

/// Solves the equation on one device, again and again for new right sides. Nothing is allocated
/// after construction. On a GPU all work is queued on the stream given at construction, whose first
/// solve() must not be recorded; later ones may be, into a Graph.
template <class Real>
class Solver {
  static_assert(std::is_same_v<Real, float> || std::is_same_v<Real, double>,
                "Poisson equations are solved in float or double");

 public:
  virtual ~Solver() = default;

  /// May be the same memory as solution(): write all of it before solve().
  [[nodiscard]] virtual CellSlots<Real> right_side() const = 0;
  /// That of the last solve().
  [[nodiscard]] virtual CellSlots<Real> solution() const = 0;

  /// Iterative solvers start from what solution() holds.
  virtual void solve() = 0;

  /// Whether there is take_divergence().
  [[nodiscard]] virtual bool takes_divergence() const { return false; }

  /// Takes the divergence of a velocity for the right side of the next solve(), and does what of
  /// that solve can be done on the way; what right_side() holds is lost.
  virtual void take_divergence(const FaceVelocity<Real>& /*velocity*/) {
    expects(takes_divergence(), "the solver takes velocities");
  }

  /// The next solve starts from nothing: an iterative solver's full multigrid from zero.
  virtual void forget() {}

  /// The next solve starts from what solution() holds, which somebody else has written.
  virtual void recall() {}

  /// Whether solve() may be recorded into a Graph: on ranks not by every transport.
  [[nodiscard]] virtual bool recordable() const { return true; }

  /// How the last solve ended; waits for the device.
  [[nodiscard]] virtual Outcome outcome() const { return {}; }

  /// How it solves, where the same kind of solver has several ways: "in three passes over memory".
  [[nodiscard]] virtual std::string way() const { return {}; }

  /// The traffic of one solve (direct) or of one V-cycle (multigrid), by the stated model; of all
  /// ranks together.
  [[nodiscard]] virtual Traffic traffic() const = 0;

  /// That of solve() after take_divergence(), which reads the velocity and writes as much as there
  /// are cells; its operations count here, but for those of the divergence.
  [[nodiscard]] virtual Traffic traffic_after_divergence() const { return traffic(); }
};

/// When an iterative solver is done.
struct Stopping {
  double tolerance = 1e-8;  ///< on max |f - L p|, in the units of f, or those of `factor`
  int max_cycles = 60;      ///< V-cycles of one solve

  /// If it is given: a number on the solver's device that residuals are multiplied by before they
  /// are compared, read at each solve. Where it is 0 they are divided by max |f| instead.
  const double* factor = nullptr;
};

/// The bound on max |f - L p| of one solve. May be read on the solver's device only.
BANKFULL_HOST_DEVICE inline double residual_bound(double tolerance, const double* factor,
                                                  double largest_f) {
  if (factor == nullptr) {
    return tolerance;
  }
  return *factor > 0.0 ? tolerance / *factor : tolerance * largest_f;
}

}  // namespace bankfull::poisson
