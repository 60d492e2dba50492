#pragma once

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::convection {

/// The planes and rows that a member of a team works on.
struct Portion {
  Range planes;
  Range rows;
};

/// Inside a parallel region: planes are shared, or rows where there are too few planes.
inline Portion my_portion(const Extents& n, int threads) {
  if (n.ni >= threads) {
    return {my_share(n.ni), {0, n.nj}};
  }
  return {{0, n.ni}, my_share(n.nj)};
}

/// Whole columns of cells along the planes: those of some rows, and of a part of each row.
struct Columns {
  Range rows;
  Range cells;
};

/// Inside a parallel region: rows are shared, or parts of rows where there are too few. Parts begin
/// with a cache line.
inline Columns my_columns(const Extents& n, int threads, std::int64_t cells_a_line) {
  if (n.nj >= threads) {
    return {my_share(n.nj), {0, n.nk}};
  }
  const Range lines = my_share((n.nk + cells_a_line - 1) / cells_a_line);
  return {{0, n.nj},
          {std::min(n.nk, lines.begin * cells_a_line), std::min(n.nk, lines.end * cells_a_line)}};
}

/// The rows of a box, shared by a team. What works on them may store past the caches.
class TeamRows {
 public:
  /// `row_bytes`: of a row of all fields; `element_bytes`: of a cell of one.
  TeamRows(const Extents& n, int threads, std::int64_t row_bytes, std::size_t element_bytes)
      : n_(n),
        threads_(threads),
        block_(std::max<std::int64_t>(4, block_bytes / (3 * row_bytes))),
        cells_a_line_(cache_line_bytes / static_cast<std::int64_t>(element_bytes)) {}

  /// body(i, j) for all rows.
  template <class Body>
  void each_row(const Body& body) const {
#pragma omp parallel num_threads(threads_)
    {
      const Portion mine = my_portion(n_, threads_);
      for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
        for (std::int64_t j = mine.rows.begin; j < mine.rows.end; ++j) {
          body(i, j);
        }
      }
      stream_store_fence();
    }
  }

  /// The largest of what body(i, j) returns for all rows.
  template <class Body>
  double largest_of_rows(const Body& body) const {
    return largest_of_blocks(n_.nj, body);
  }

  /// The same, in blocks of as many rows as have three planes of all fields in a core's cache.
  template <class Body>
  double largest_of_rows_in_blocks(const Body& body) const {
    return largest_of_blocks(block_, body);
  }

  /// The largest of what body(columns) returns: as many rows at a time, likewise.
  template <class Body>
  double each_block_of_columns(const Body& body) const {
    double largest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : largest)
    {
      const Columns mine = my_columns(n_, threads_, cells_a_line_);
      for (std::int64_t j = mine.rows.begin; j < mine.rows.end; j += block_) {
        if (mine.cells.begin < mine.cells.end) {
          largest =
              larger(body(Columns{{j, std::min(mine.rows.end, j + block_)}, mine.cells}), largest);
        }
      }
      stream_store_fence();
    }
    return largest;
  }

 private:
  /// Of the three planes of all fields that a block of rows reads.
  static constexpr std::int64_t block_bytes = mib;

  template <class Body>
  double largest_of_blocks(std::int64_t block, const Body& body) const {
    double largest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : largest)
    {
      const Portion mine = my_portion(n_, threads_);
      for (std::int64_t j0 = mine.rows.begin; j0 < mine.rows.end; j0 += block) {
        const std::int64_t j1 = std::min(mine.rows.end, j0 + block);
        for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
          for (std::int64_t j = j0; j < j1; ++j) {
            largest = larger(static_cast<double>(body(i, j)), largest);
          }
        }
      }
      stream_store_fence();
    }
    return largest;
  }

  Extents n_;
  int threads_;
  std::int64_t block_;
  std::int64_t cells_a_line_;
};

}  // namespace bankfull::convection
