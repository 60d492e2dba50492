#pragma once

#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

/// What relaxation of a level's lines, which run along i, looks up: the pivots of elimination,
/// which depend on the place along the line and on the coefficients across it. Rows of one diagonal
/// are a class, and so are columns: a uniform axis has two, that of its ends and that of all other
/// cells. So the pivots of most domains stay in the first cache; kept for each cell they would be
/// one more field to read, and formed on the way they would lengthen each step along a line by a
/// division.
class LineTables {
 public:
  explicit LineTables(const Level& level);

  /// In this order: the widths of a line's cells, the couplings to the next one (0 of the last),
  /// the inverse pivots as [cell][class of j][class of k], and of periodic lines the parts of the
  /// root likewise.
  [[nodiscard]] const std::vector<float>& numbers() const { return numbers_; }

  /// The class of each row, then that of each column.
  [[nodiscard]] const std::vector<int>& classes() const { return classes_; }

  [[nodiscard]] int classes_j() const { return classes_j_; }
  [[nodiscard]] int classes_k() const { return classes_k_; }
  [[nodiscard]] bool cyclic() const { return cyclic_; }

  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(numbers_.size() * sizeof(float) +
                                     classes_.size() * sizeof(int));
  }

 private:
  void append_pivots(const Level& level, const std::vector<double>& of_rows,
                     const std::vector<double>& of_columns);

  std::vector<float> numbers_;
  std::vector<int> classes_;
  int classes_j_ = 1;
  int classes_k_ = 1;
  bool cyclic_ = false;
};

/// The most lines of a level that one block does with all coarser ones.
inline constexpr std::int64_t max_bottom_lines = 256;

}  // namespace bankfull::poisson::multigrid::cuda
