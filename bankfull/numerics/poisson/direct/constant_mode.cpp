#include "bankfull/numerics/poisson/direct/constant_mode.hpp"

#include "bankfull/core/base/expects.hpp"

#include <cstdint>
#include <numeric>

namespace bankfull::poisson {

AxisCouplings::AxisCouplings(const Axis& axis)
    : above(static_cast<std::size_t>(axis.cells()), 0.0),
      closing(axis.periodic && axis.cells() > 1 ? 1.0 / axis.distance(0) : 0.0) {
  for (std::size_t n = 0; n + 1 < above.size(); ++n) {
    above[n] = 1.0 / axis.distance(static_cast<std::int64_t>(n) + 1);
  }
}

ConstantMode::ConstantMode(const Axis& axis)
    : widths_(axis.widths),
      length_(std::reduce(widths_.begin(), widths_.end())),
      couplings_(axis),
      pivots_(widths_.size()) {
  LowerEnd<double> end{.closing = couplings_.closing};
  double root_dominance = 0.0;
  for (std::size_t n = 0; n + 1 < pivots_.size(); ++n) {
    pivots_[n] = Elimination<true>::eliminate(0.0, couplings_.above[n], end, root_dominance);
  }
}

void ConstantMode::respond(std::vector<double>& column) const {
  expects(column.size() == widths_.size(), "one right side a cell");
  const std::size_t root = column.size() - 1;
  double right_side = 0.0;
  for (std::size_t n = 0; n < root; ++n) {
    column[n] = pivots_[n].inverse * (right_side + column[n]);
    right_side = couplings_.above[n] * column[n];
  }
  column[root] = 0.0;
  for (std::size_t n = root; n-- > 0;) {
    column[n] = Elimination<true>::solution(pivots_[n], column[n], column[n + 1], column[root]);
  }
}

void ConstantMode::solve(std::vector<double>& column, double transforms) const {
  remove_mean(column);
  for (std::size_t n = 0; n < column.size(); ++n) {
    column[n] *= -widths_[n] / transforms;
  }
  respond(column);
  remove_mean(column);
}

void ConstantMode::remove_mean(std::vector<double>& column) const {
  const double sum = std::inner_product(widths_.begin(), widths_.end(), column.begin(), 0.0);
  const double mean = sum / length_;
  for (double& value : column) {
    value -= mean;
  }
}

}  // namespace bankfull::poisson
