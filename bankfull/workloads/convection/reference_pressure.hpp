#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"

#include <vector>

namespace bankfull::convection {

/// Solves the Poisson equation of a box by conjugate gradients, serially, to rounding. They are
/// preconditioned by the diagonal, which cells of very different shapes need.
class ReferencePressure {
 public:
  explicit ReferencePressure(poisson::Domain domain);

  /// Element (i, j, k) at (i nj + j) nk + k. The solution has mean 0 over the cells.
  const std::vector<double>& solve(const std::vector<double>& right_side);

 private:
  /// - volume L p: symmetric and positive.
  void apply(const std::vector<double>& p, std::vector<double>& result) const;
  void scale_residual();

  poisson::Domain domain_;
  std::vector<double> solution_;
  std::vector<double> residual_;
  std::vector<double> direction_;
  std::vector<double> product_;
  std::vector<double> scaled_;  ///< the residual over the diagonal
  std::vector<double> diagonal_;
};

}  // namespace bankfull::convection
