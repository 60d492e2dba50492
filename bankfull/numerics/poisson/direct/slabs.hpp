#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace bankfull::poisson {

// The direct solver on ranks.
//
// Each rank has a slab of planes, which it takes to modes by itself: only the elimination along i
// crosses slabs. Call the last cell of each slab its root. A rank eliminates the cells before the
// root of its slab as Elimination<true> does, the coupling to the slab below being the closing
// coupling, whose other end is the root below (of a periodic axis, for the first slab, the last
// one's; between walls the first slab's closing coupling is 0). What is left are the roots alone,
// one unknown per slab and mode. With c the coupling that is left between root r and root r - 1,
// d the dominance of root r and g what the row of root r - 1 gains:
//
//   (d(r) + g(r + 1) + c(r) + c(r + 1)) p(r) - c(r) p(r - 1) - c(r + 1) p(r + 1) = s(r) + t(r + 1)
//
// where s and t are what the elimination adds up of right sides for either row: two numbers. This
// is a system of the same kind as that of the cells, a ladder or, on a periodic axis, a ring, and
// no coupling and no dominance of it is a difference either. Each rank solves it for its share of
// the modes, by the same elimination, and hands back p(r) and p(r - 1), from which a slab's other
// cells follow by substitution. Both numbers of all modes travel twice: four planes per rank and
// solve, however thick slabs are, where transposes move the slab itself twice. (H. H. Wang, "A
// parallel method for tridiagonal equations", ACM Trans. Math. Softw. 7, 1981; for many systems at
// once with shares of them for each rank: K.-H. Kim, J.-H. Kang, X. Pan, J.-I. Choi, "PaScaL_TDMA:
// a library of parallel and scalable solvers for massive tridiagonal systems", Comput. Phys.
// Commun. 260, 2021. There two rows per rank are left, first cell and last: here the first one is
// eliminated too.)
//
// c, d and g depend on the domain alone and travel once, when the solver is made. c shrinks by a
// factor per plane, the faster the larger a mode's decay is: most roots are neighbours in name
// only.
//
// The constant mode has no dominance, and its solution is 0 at the last cell of the domain, less
// its mean. It is one column of numbers. CPUs send all of it to every rank, beside the sides of its
// modes, and solve it alone: as one rank does, without further sums over ranks. GPUs solve it among
// the others, as one GPU does: see EliminationCell::response.

/// What the elimination of a slab leaves for one mode; see above.
template <class Real>
struct SlabCouplings {
  static constexpr int count = 3;

  Real dominance;  ///< d of the root
  Real closing;    ///< c, the coupling between this root and the one below
  Real gain;       ///< g of the root below
};

/// The cells of a slab, counted from its first one, that are coupled to the roots at its ends:
/// [0, of_root_below) and [of_root, cells). Cells outside contribute less than rounding. Each cell
/// passes on to the next what it gets itself times Pivot::up: in columns of a mode whose decay is
/// 1 / width^2 less than 5e-20 is left after 46 cells.
struct SlabReach {
  std::int64_t of_root_below = 0;
  std::int64_t of_root = 0;

  /// What couplings may shrink to, and still count. A neighbour may weigh hundreds of times as much
  /// where widths differ as much: a rounding of the solution is left.
  template <class Real>
  static constexpr Real least = std::numeric_limits<Real>::epsilon() / 4096;

  /// Whether sides can be found without the cells between both.
  [[nodiscard]] bool leaves_a_gap() const { return of_root_below < of_root; }
};

/// Over how many cells of a column the sweeps go, on average: what their traffic follows from.
struct SlabSweeps {
  double cells = 0.0;   ///< of the slab
  double sides = 0.0;   ///< below the root, of the sweep for sides
  double closed = 0.0;  ///< of each sweep, those in which the root below matters
  double below = 0.0;   ///< planes below the slab, of which the solution is wanted

  SlabSweeps() = default;
  explicit SlabSweeps(std::int64_t planes, const SlabReach& reach)
      : cells(static_cast<double>(planes)),
        sides(static_cast<double>(
            planes - 1 - (reach.leaves_a_gap() ? reach.of_root - reach.of_root_below : 0))),
        closed(static_cast<double>(reach.of_root_below)) {}
};

/// How pairs of columns, which are eliminated together (see Modes), are shared among ranks, and
/// where a message has what belongs to them. Lengths are in reals.
///
/// Between any two ranks blocks of equal size travel, both ways in the same place: there the sides
/// s of four amplitudes of each pair of the share and, after these, their sides t; and behind them
/// what the constant mode takes. Back come the solutions at the roots, own ones in the places of s,
/// those of the roots below in the places of t.
struct RootBlocks {
  static constexpr int amplitudes = 4;
  static constexpr int sides = 2 * amplitudes;  ///< of a pair

  int ranks = 1;
  std::int64_t pairs = 0;   ///< of the domain
  std::int64_t pitch = 0;   ///< pairs of the largest share
  std::int64_t behind = 0;  ///< reals for the constant mode

  /// On CPUs a slab's column of the constant mode, on GPUs one number each way: to the rank that
  /// solves for the mode the sum of right sides times responses, and back their mean.
  enum class Constant { column, sums };

  RootBlocks(const Domain& domain, int of_ranks, Constant constant);

  [[nodiscard]] BANKFULL_HOST_DEVICE Range share_of(int rank) const {
    return share(pairs, rank, ranks);
  }

  /// The rank that solves for the pair.
  [[nodiscard]] BANKFULL_HOST_DEVICE int owner_of(std::int64_t pair) const {
    const std::int64_t smaller = pairs / ranks;
    const std::int64_t larger = pairs % ranks;
    const std::int64_t in_larger = larger * (smaller + 1);
    return static_cast<int>(pair < in_larger ? pair / (smaller + 1)
                                             : larger + (pair - in_larger) / smaller);
  }

  /// What a rank sends to others in a solve, in 2 (ranks - 1) messages.
  [[nodiscard]] std::int64_t sent_bytes(std::size_t element_bytes) const {
    return (ranks - 1) * (size() + column()) * static_cast<std::int64_t>(element_bytes);
  }

  /// Where the constant mode's reals begin.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t column() const { return sides * pitch; }
  [[nodiscard]] std::int64_t size() const { return column() + behind; }  ///< of a block
};

/// The planes of a rank; those of the first rank are as many as of any.
inline Range slab_of(const Domain& domain, int rank, int ranks) {
  return share(domain.i.cells(), rank, ranks);
}

/// The slab's planes and the one below (around the domain, below its first) as a domain of their
/// own, coupled around as the elimination of a slab is: what a GPU has memory for.
Domain ring_of_slab(const Domain& domain, const Range& planes);

}  // namespace bankfull::poisson
