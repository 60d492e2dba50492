#pragma once

#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::poisson::multigrid {

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
