#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::cg {

/// Columns of a panel, which 16 bits can name. So many pairs of x and sum stay in a core's caches
/// beside the matrix that streams through them; with fewer columns pieces get short. Of 2048, 4096,
/// 8192 and 16384 this was the fastest for class A on a Zen 3, by little.
inline constexpr std::int64_t panel_columns = 4096;

/// Which entries of the symmetric matrix are kept.
enum class Kept {
  upper,  ///< those right of the diagonal; each serves its mirror image too
  all,    ///< all but the diagonal
};

/// Rows of one thread, cut into panels of columns. A *piece* is the part of a row in a panel;
/// pieces stand panel by panel, rows ascending.
struct Part {
  Range rows;
  Buffer<std::uint16_t> lengths;  ///< of pieces
  Buffer<std::uint16_t> columns;  ///< within the panel
  Buffer<double> values;
};

/// The matrix as the products read it: 10 bytes an entry, half of the entries if `Kept::upper`.
class Panels {
 public:
  Panels(const Matrix& matrix, Kept kept, const Team& team);

  [[nodiscard]] Kept kept() const { return kept_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const Part& part(int thread) const {
    return parts_[static_cast<std::size_t>(thread)];
  }
  [[nodiscard]] const double* diagonal() const { return diagonal_.data(); }

  /// Bytes that a product reads.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  Kept kept_;
  std::int64_t rows_;
  std::vector<Part> parts_;
  Buffer<double> diagonal_;
};

/// What moves fewer bytes: with `Kept::upper` each thread adds to a vector of its own, which must
/// be added up.
Kept better_kept(const Matrix& matrix, int threads);

/// An element of a thread's product with `Kept::upper`. An entry needs both at once: side by side
/// they take one line of the first cache instead of two.
struct Pair {
  double x;
  double sum;
};

/// y = A x without the diagonal in the part's rows; for `Kept::all`.
void multiply_all(const Panels& panels, const Part& part, const double* x, double* y);

/// Adds to the sums what the part's rows and their mirror images give; for `Kept::upper`. Pairs
/// before the part's first row are not used.
void multiply_upper(const Panels& panels, const Part& part, Pair* pairs);

}  // namespace bankfull::npb::cg
