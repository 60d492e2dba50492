#include "bankfull/numerics/poisson/multigrid/cuda/line_tables.hpp"

#include "bankfull/numerics/poisson/multigrid/line.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::poisson::multigrid::cuda {
namespace {

/// Where the sum of a cell's coefficients stands among others; cells of a uniform axis differ by
/// rounding.
auto found_among(const std::vector<double>& diagonals, double diagonal) {
  constexpr double rounding = 1e-12;
  return std::find_if(diagonals.begin(), diagonals.end(), [&](double other) {
    return std::abs(other - diagonal) <= rounding * diagonal;
  });
}

/// What all cells of an axis have as the sum of their coefficients, once each.
std::vector<double> distinct_diagonals(const AxisLevel& axis) {
  std::vector<double> distinct;
  for (std::size_t n = 0; n < axis.lower.size(); ++n) {
    const double diagonal = axis.lower[n] + axis.upper[n];
    if (found_among(distinct, diagonal) == distinct.end()) {
      distinct.push_back(diagonal);
    }
  }
  return distinct;
}

void append_classes(const AxisLevel& axis, const std::vector<double>& distinct,
                    std::vector<int>& classes) {
  for (std::size_t n = 0; n < axis.lower.size(); ++n) {
    const auto found = found_among(distinct, axis.lower[n] + axis.upper[n]);
    classes.push_back(static_cast<int>(found - distinct.begin()));
  }
}

}  // namespace

LineTables::LineTables(const Level& level) {
  const AxisLevel& line = level.i;
  const std::vector<double> of_rows = distinct_diagonals(level.j);
  const std::vector<double> of_columns = distinct_diagonals(level.k);
  classes_j_ = static_cast<int>(of_rows.size());
  classes_k_ = static_cast<int>(of_columns.size());
  append_classes(level.j, of_rows, classes_);
  append_classes(level.k, of_columns, classes_);
  cyclic_ = line.periodic && line.cells > 1;
  for (const double width : line.widths) {
    numbers_.push_back(static_cast<float>(width));
  }
  for (std::size_t n = 0; n < line.widths.size(); ++n) {
    const bool is_root = n + 1 == line.widths.size();
    numbers_.push_back(is_root ? 0.0F : static_cast<float>(line.upper[n] * line.widths[n]));
  }
  append_pivots(level, of_rows, of_columns);
}

void LineTables::append_pivots(const Level& level, const std::vector<double>& of_rows,
                               const std::vector<double>& of_columns) {
  const AxisLevel& line = level.i;
  const std::size_t root = line.widths.size() - 1;
  const std::size_t sets = of_rows.size() * of_columns.size();
  std::vector<float> inverse((root + 1) * sets);
  std::vector<float> around(cyclic_ ? inverse.size() : 0);
  for (std::size_t set = 0; set < sets; ++set) {
    const double across = of_rows[set / of_columns.size()] + of_columns[set % of_columns.size()];
    LowerEnd<double> end{.closing = cyclic_ ? line.lower[0] * line.widths[0] : 0.0};
    double root_dominance = 0.0;
    for (std::size_t n = 0; n < root; ++n) {
      const Pivot<double> pivot = Elimination<true>::eliminate(
          line.widths[n] * across, line.upper[n] * line.widths[n], end, root_dominance);
      inverse[n * sets + set] = static_cast<float>(pivot.inverse);
      if (cyclic_) {
        around[n * sets + set] = static_cast<float>(pivot.around);
      }
    }
    inverse[root * sets + set] = static_cast<float>(
        root_inverse(line.widths[root] * across + end.dominance + root_dominance));
  }
  numbers_.insert(numbers_.end(), inverse.begin(), inverse.end());
  numbers_.insert(numbers_.end(), around.begin(), around.end());
}

}  // namespace bankfull::poisson::multigrid::cuda
