#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace bankfull::poisson::multigrid {

// Relaxation of a line at one of its cells. The line's equation is times minus the width of the
// cell, as the direct solver has it (see direct/elimination.hpp), and is solved by elimination from
// the first cell to the last, the root, and back.

/// Operations of the functions below. Tests count them.
struct LineFlops {
  static constexpr int across_sum = 7;
  static constexpr int side = 2;
  static constexpr int side_of_residual = 1;
  static constexpr int eliminated = 3;
  static constexpr int solved = 3;
  static constexpr int relaxed = 3;
  static constexpr int relaxed_from_zero = 1;

  /// On periodic lines: what the root gains, and what is taken of it.
  static constexpr int around_up = 3;
  static constexpr int around_back = 2;

  static constexpr int relaxation(bool cyclic) {
    return across_sum + side + eliminated + solved + relaxed +
           (cyclic ? around_up + around_back : 0);
  }
  static constexpr int relaxation_from_zero(bool cyclic) {
    return side_of_residual + eliminated + solved + relaxed_from_zero +
           (cyclic ? around_up + around_back : 0);
  }
};

/// One value for each face of a cell across its line: its coefficient, or the value beyond it.
template <class T>
struct FacesAcross {
  T lower_a;
  T upper_a;
  T lower_b;
  T upper_b;
};

/// What neighbours across the line have in L e.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T across_sum(const FacesAcross<T>& coefficients,
                                                         const FacesAcross<T>& e) {
  using std::fma;
  return fma(coefficients.upper_a, e.upper_a, coefficients.lower_a * e.lower_a) +
         fma(coefficients.upper_b, e.upper_b, coefficients.lower_b * e.lower_b);
}

/// What a cell is dominated by: the sum of its coefficients across the line, times its width.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE constexpr T line_dominance(
    T width, const FacesAcross<T>& coefficients) {
  return width * ((coefficients.lower_a + coefficients.upper_a) +
                  (coefficients.lower_b + coefficients.upper_b));
}

/// The right side of a cell whose neighbours across contribute `sum`.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T line_side(T width, T sum, T r) {
  return width * (sum - r);
}

/// The particular solution of an eliminated cell, by what the cell before passes on over the
/// coupling `below`.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T line_right_side(T side, T below, T before) {
  using std::fma;
  return fma(below, before, side);
}

/// e after one over-relaxed step towards the line's solution.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T line_relaxed(T omega, T e, T solved) {
  using std::fma;
  return fma(omega, solved - e, e);
}

/// The pivot of a cell whose inverse and part of the root are known.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE Pivot<T> line_pivot(T inverse, T above, T around) {
  return {inverse, above * inverse, around};
}

/// 1 / dominance of the root; 0 in a system without dominance: see root_solution.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T root_inverse(T dominance) {
  return root_solution(T{1}, dominance);
}

/// The equation along a line of cells, with all others' values given, as the direct solver has it
/// (see direct/elimination.hpp): times minus the width, the coefficients across the line are what
/// each cell is dominated by.
class LineSystem {
 public:
  explicit LineSystem(const AxisLevel& axis) : above_(axis.widths.size()) {
    const std::size_t root = above_.size() - 1;
    for (std::size_t n = 0; n <= root; ++n) {
      above_[n] = axis.upper[n] * axis.widths[n];
    }
    closing_ = axis.periodic ? axis.lower[0] * axis.widths[0] : 0.0;
  }

  /// One element a cell: the sum of its coefficients across the line, and the right side without
  /// what its neighbours across contribute, both times the width, the latter times -1. Where all
  /// dominances are 0 the last cell is at 0.
  [[nodiscard]] std::vector<double> solve(const std::vector<double>& dominance,
                                          const std::vector<double>& side) const {
    const std::size_t root = above_.size() - 1;
    std::vector<Pivot<double>> pivots(root);
    std::vector<double> e(side);
    LowerEnd<double> end{.closing = closing_};
    double root_dominance = 0.0;
    double root_side = 0.0;
    double passed = 0.0;
    for (std::size_t n = 0; n < root; ++n) {
      pivots[n] = Elimination<true>::eliminate(dominance[n], above_[n], end, root_dominance);
      const double here = side[n] + passed;
      e[n] = pivots[n].inverse * here;
      passed = above_[n] * e[n];
      root_side += pivots[n].around * here;
    }
    e[root] = root_solution(side[root] + passed + root_side,
                            dominance[root] + end.dominance + root_dominance);
    for (std::size_t n = root; n-- > 0;) {
      e[n] = Elimination<true>::solution(pivots[n], e[n], e[n + 1], e[root]);
    }
    return e;
  }

 private:
  std::vector<double> above_;  ///< coupling to the next cell
  double closing_ = 0.0;       ///< of the last cell to the first one
};

}  // namespace bankfull::poisson::multigrid
