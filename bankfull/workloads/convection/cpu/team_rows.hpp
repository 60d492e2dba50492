#pragma once

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/cache_line.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/helped_shares.hpp"
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

/// Divides the planes among the members of a team, or the rows where there are fewer planes than
/// members.
inline RowShare rows_of_member(const Extents& n, int member, int members) {
  if (n.ni >= members) {
    return {share(n.ni, member, members), {0, n.nj}};
  }
  return {{0, n.ni}, share(n.nj, member, members)};
}

/// Neighbouring rows of a plane.
struct RowPiece {
  std::int64_t plane = 0;
  Range rows;
};

/// How a share is divided into pieces: blocks of rows of all of its planes one after the other, in
/// each the planes in order, of each plane its pieces.
struct RowPieces {
  std::int64_t rows;      ///< of a piece, but for the last of a plane
  std::int64_t in_block;  ///< pieces of a plane

  /// Pieces of up to `most` rows, blocks of `block` rows or a few more.
  static RowPieces of_blocks(std::int64_t block, std::int64_t most) {
    const std::int64_t pieces = (block + most - 1) / most;
    return {(block + pieces - 1) / pieces, pieces};
  }

  [[nodiscard]] std::int64_t in_plane(const RowShare& whole) const {
    return (whole.rows.size() + rows - 1) / rows;
  }
  [[nodiscard]] std::int64_t count(const RowShare& whole) const {
    return whole.planes.size() * in_plane(whole);
  }
  [[nodiscard]] RowPiece piece(const RowShare& whole, std::int64_t number) const {
    const std::int64_t of_blocks = whole.planes.size() * in_block;
    const std::int64_t first = number / of_blocks * in_block;
    const std::int64_t in_this = std::min(in_block, in_plane(whole) - first);
    const std::int64_t in_planes = number % of_blocks;
    const std::int64_t begin = whole.rows.begin + (first + in_planes % in_this) * rows;
    return {whole.planes.begin + in_planes / in_this,
            {begin, std::min(begin + rows, whole.rows.end)}};
  }
};

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

/// The rows of a box, divided among a team's threads, of which those that are done help others. The
/// functions that work on them may store past the caches.
class TeamRows {
 public:
  /// `row_bytes`: bytes per row of all fields; `element_bytes`: bytes per cell of one field.
  TeamRows(const Extents& n, int threads, std::int64_t row_bytes, std::size_t element_bytes)
      : n_(n),
        threads_(threads),
        row_bytes_(row_bytes),
        cells_per_line_(cache_line_bytes / static_cast<std::int64_t>(element_bytes)) {}

  /// Calls body(i, j) for all rows, by the threads whose they are: of memory that is touched for
  /// the first time.
  template <class Body>
  void each_own_row(const Body& body) const {
#pragma omp parallel num_threads(threads_)
    {
      const RowShare mine = rows_of_member(n_, share_number(), threads_);
      for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
        for (std::int64_t j = mine.rows.begin; j < mine.rows.end; ++j) {
          body(i, j);
        }
      }
    }
  }

  /// Calls body(i, j) for all rows.
  template <class Body>
  void each_row(const Body& body) const {
    static_cast<void>(largest_of_rows([&](std::int64_t i, std::int64_t j) {
      body(i, j);
      return 0.0;
    }));
  }

  /// The largest value that body(i, j) returns over all rows.
  template <class Body>
  double largest_of_rows(const Body& body) const {
    return largest_of_blocks(n_.nj, body);
  }

  /// The same, in blocks of rows: so many planes of a block, with all fields, fit a core's cache.
  template <class Body>
  double largest_of_rows_in_blocks(std::int64_t planes, const Body& body) const {
    return largest_of_blocks(rows_in_block(planes), body);
  }

  /// The largest value that body(columns) returns, called for the same number of rows at a time.
  template <class Body>
  double each_block_of_columns(const Body& body) const {
    const std::int64_t block = rows_within(mib, 3);
    double largest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : largest)
    {
      const Columns mine = my_columns(n_, threads_, cells_per_line_);
      for (std::int64_t j = mine.rows.begin; j < mine.rows.end; j += block) {
        if (mine.cells.begin < mine.cells.end) {
          largest =
              larger(body(Columns{{j, std::min(mine.rows.end, j + block)}, mine.cells}), largest);
        }
      }
      stream_store_fence();
    }
    return largest;
  }

 private:
  /// What planes of a block of rows may take. The rest of a second-level cache of 2 MiB is left for
  /// what is read once, and for what is written.
  static constexpr std::int64_t block_bytes = 3 * mib / 4;

  /// Work for a claim: 20 to 90 microseconds.
  static constexpr std::int64_t cells_at_once = 4096;

  [[nodiscard]] std::int64_t rows_in_block(std::int64_t planes) const {
    return rows_within(block_bytes, planes);
  }

  /// Rows of which so many bytes hold that many planes.
  [[nodiscard]] std::int64_t rows_within(std::int64_t bytes, std::int64_t planes) const {
    return std::max<std::int64_t>(4, bytes / (planes * row_bytes_));
  }

  template <class Body>
  double largest_of_blocks(std::int64_t block, const Body& body) const {
    const RowShare first = rows_of_member(n_, 0, threads_);
    const RowPieces pieces = RowPieces::of_blocks(std::min(block, first.rows.size()),
                                                  std::max<std::int64_t>(1, cells_at_once / n_.nk));
    HelpedShares shares(
        threads_, std::max<std::int64_t>(1, cells_at_once / (pieces.rows * n_.nk)),
        [&](int member) { return pieces.count(rows_of_member(n_, member, threads_)); });
    double largest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : largest)
    {
      shares.run([&](int owner, const Range& numbers) {
        const RowShare whole = rows_of_member(n_, owner, threads_);
        for (std::int64_t n = numbers.begin; n < numbers.end; ++n) {
          const RowPiece piece = pieces.piece(whole, n);
          for (std::int64_t j = piece.rows.begin; j < piece.rows.end; ++j) {
            largest = larger(static_cast<double>(body(piece.plane, j)), largest);
          }
        }
      });
      stream_store_fence();
    }
    return largest;
  }

  Extents n_;
  int threads_;
  std::int64_t row_bytes_;
  std::int64_t cells_per_line_;
};

}  // namespace bankfull::convection
