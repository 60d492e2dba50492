#pragma once

#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::poisson {

/// Between the cells of an axis; see elimination.hpp.
struct AxisCouplings {
  std::vector<double> above;  ///< from each cell to the next one; 0 for the last
  double closing = 0.0;       ///< between the first cell and the last

  explicit AxisCouplings(const Axis& axis);
};

/// The equation along i of the mode that is constant along j and k, in fp64. It has no dominance.
class ConstantMode {
 public:
  explicit ConstantMode(const Axis& axis);

  [[nodiscard]] const AxisCouplings& couplings() const { return couplings_; }

  /// Takes right sides of all cells to the solution that is 0 at the last one, whose equation is
  /// left out.
  void respond(std::vector<double>& column) const;

  /// Takes the planes' means of f, or multiples of them, to those of the solution, `transforms`
  /// times smaller. Subtracts the mean before and after.
  void solve(std::vector<double>& column, double transforms) const;

 private:
  void remove_mean(std::vector<double>& column) const;

  std::vector<double> widths_;
  double length_;
  AxisCouplings couplings_;
  std::vector<Pivot<double>> pivots_;
};

}  // namespace bankfull::poisson
