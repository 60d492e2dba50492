#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/cg/blocks.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::cg {

/// The entries of a block that one thread multiplies by, rows and columns as the block numbers its
/// inputs. With `Kept::upper` its rows and columns both need x and get sums, in a copy of the
/// thread's own; with `Kept::all` it has all columns, and rows that no other thread has.
struct Tile {
  Range rows;
  Range columns;  ///< none before the first row's, with `Kept::upper`

  /// Rows and columns have elements in common, so that the copy has one range, not two.
  [[nodiscard]] bool overlaps() const { return columns.begin < rows.end; }

  /// The elements of the copy, in ascending order.
  [[nodiscard]] std::vector<Range> inputs() const {
    return overlaps() ? std::vector<Range>{{rows.begin, columns.end}}
                      : std::vector<Range>{rows, columns};
  }

  [[nodiscard]] std::int64_t input_count() const { return total_size(inputs()); }

  /// Where the first column stands in the copy; the first row is its first element.
  [[nodiscard]] std::int64_t column_offset() const {
    return overlaps() ? columns.begin - rows.begin : rows.size();
  }

  friend constexpr bool operator==(const Tile&, const Tile&) = default;
};

/// Cuts a block among threads, each with about as many entries: with `Kept::upper` into strips of
/// columns and these into rows, as many strips as make the copies smallest, which on many threads
/// are near squares. The copies of all threads then take about sqrt(2 threads) vectors; cut by rows
/// alone they would take two thirds of a vector per thread.
std::vector<Tile> cut_into_tiles(const Block& block, int threads);

/// Elements of all threads' copies.
std::int64_t input_count(const std::vector<Tile>& tiles);

/// The entries of a block that a tile has.
Block block_of(const Block& block, const Tile& tile);

}  // namespace bankfull::npb::cg
