#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::cg {

/// Columns of a panel, numbered in 16 bits. This many pairs of x and sum stay in a core's caches
/// while the matrix streams through them; with fewer columns pieces get short. For class A on a Zen
/// 3 this was slightly faster than 2048, 8192 and 16384.
inline constexpr std::int64_t panel_columns = 4096;

/// Rows of one thread, cut into panels of columns. A *piece* is the part of a row in a panel;
/// pieces stand panel by panel, rows ascending. All numbers count from where the block begins.
struct Part {
  Range rows;
  std::vector<Range> panel_rows;  ///< from the first to the last that has entries in the panel
  Buffer<std::uint16_t> lengths;  ///< of pieces
  Buffer<std::uint16_t> columns;  ///< within the panel
  Buffer<double> values;
};

/// A block of the matrix as the products read it: 10 bytes per entry.
class Panels {
 public:
  /// `matrix` has the entries of `block`.
  Panels(const Matrix& matrix, const Block& block, const Team& team);

  [[nodiscard]] const Block& block() const { return block_; }
  [[nodiscard]] const Part& part(int thread) const {
    return parts_[static_cast<std::size_t>(thread)];
  }

  /// Bytes that a product reads.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  Block block_;
  std::vector<Part> parts_;
};

/// An element of a thread's product with `Kept::upper`. An entry needs both at once: side by side
/// they take one cache line instead of two.
struct Pair {
  double x;
  double sum;
};

/// y = A x in the part's rows of the block; for `Kept::all`.
void multiply_all(const Part& part, const double* x, double* y);

/// Adds the contributions of the part's rows and their mirror images to the sums; for
/// `Kept::upper`. `pairs` are the block's inputs; those before the part's first row are not used.
void multiply_upper(const Panels& panels, const Part& part, Pair* pairs);

}  // namespace bankfull::npb::cg
