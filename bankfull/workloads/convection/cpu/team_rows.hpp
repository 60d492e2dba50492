#pragma once

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::convection {

/// The planes and rows that one thread of a team works on.
struct RowShare {
  Range planes;
  Range rows;
};

/// Call inside a parallel region: divides the planes among the threads, or the rows where there are
/// fewer planes than threads.
inline RowShare my_rows(const Extents& n, int threads) {
  if (n.ni >= threads) {
    return {my_share(n.ni), {0, n.nj}};
  }
  return {{0, n.ni}, my_share(n.nj)};
}

/// Whole columns of cells across the planes, in a range of rows and a range of cells of each row.
struct Columns {
  Range rows;
  Range cells;
};

/// Call inside a parallel region: divides the rows among the threads, or each row into parts where
/// there are fewer rows than threads. Parts begin at a cache line.
inline Columns my_columns(const Extents& n, int threads, std::int64_t cells_per_line) {
  if (n.nj >= threads) {
    return {my_share(n.nj), {0, n.nk}};
  }
  const Range lines = my_share((n.nk + cells_per_line - 1) / cells_per_line);
  return {
      {0, n.nj},
      {std::min(n.nk, lines.begin * cells_per_line), std::min(n.nk, lines.end * cells_per_line)}};
}

/// The rows of a box, divided among a team's threads. The functions that work on them may store
/// past the caches.
class TeamRows {
 public:
  /// `row_bytes`: bytes per row of all fields; `element_bytes`: bytes per cell of one field.
  TeamRows(const Extents& n, int threads, std::int64_t row_bytes, std::size_t element_bytes)
      : n_(n),
        threads_(threads),
        block_(std::max<std::int64_t>(4, block_bytes / (3 * row_bytes))),
        cells_per_line_(cache_line_bytes / static_cast<std::int64_t>(element_bytes)) {}

  /// Calls body(i, j) for all rows.
  template <class Body>
  void each_row(const Body& body) const {
#pragma omp parallel num_threads(threads_)
    {
      const RowShare mine = my_rows(n_, threads_);
      for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
        for (std::int64_t j = mine.rows.begin; j < mine.rows.end; ++j) {
          body(i, j);
        }
      }
      stream_store_fence();
    }
  }

  /// The largest value that body(i, j) returns over all rows.
  template <class Body>
  double largest_of_rows(const Body& body) const {
    return largest_of_blocks(n_.nj, body);
  }

  /// The same, in blocks of rows: three planes of a block, with all fields, fit a core's cache.
  template <class Body>
  double largest_of_rows_in_blocks(const Body& body) const {
    return largest_of_blocks(block_, body);
  }

  /// The largest value that body(columns) returns, called for the same number of rows at a time.
  template <class Body>
  double each_block_of_columns(const Body& body) const {
    double largest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : largest)
    {
      const Columns mine = my_columns(n_, threads_, cells_per_line_);
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
  /// What a block of rows reads: three planes of all fields.
  static constexpr std::int64_t block_bytes = mib;

  template <class Body>
  double largest_of_blocks(std::int64_t block, const Body& body) const {
    double largest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : largest)
    {
      const RowShare mine = my_rows(n_, threads_);
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
  std::int64_t cells_per_line_;
};

}  // namespace bankfull::convection
