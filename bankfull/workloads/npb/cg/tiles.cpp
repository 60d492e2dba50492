#include "bankfull/workloads/npb/cg/tiles.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::npb::cg {
namespace {

/// The entries (row, column) of a block with `Kept::upper`, as the block numbers its inputs: row <
/// rows, columns from `columns.begin` on, and row < column, which in a block beside the diagonal
/// holds for all.
struct Region {
  std::int64_t rows;
  Range columns;

  explicit Region(const Block& block)
      : rows(block.rows.size()),
        columns{block.column_offset(), block.column_offset() + block.columns.size()} {}

  /// Entries in the columns before this one.
  [[nodiscard]] std::int64_t before_column(std::int64_t column) const {
    return above(column) - above(columns.begin);
  }

  /// Entries of `strip` in the rows before this one.
  [[nodiscard]] std::int64_t before_row(const Range& strip, std::int64_t row) const {
    const std::int64_t full = std::min(row, strip.begin);
    const std::int64_t cut = std::min(row, std::min(rows, strip.end)) - full;
    // A row of the triangle has one entry less than the one before it.
    return full * strip.size() + cut * (2 * (strip.end - 1 - full) - (cut - 1)) / 2;
  }

  [[nodiscard]] std::int64_t entries() const { return before_column(columns.end); }

 private:
  [[nodiscard]] std::int64_t above(std::int64_t column) const {
    const std::int64_t triangle = std::min(column, rows);
    return triangle * (triangle - 1) / 2 + (column - triangle) * rows;
  }
};

/// The first n of a range from which on `count`, which does not fall, is at least `least`.
template <class Count>
std::int64_t first_with(const Range& range, std::int64_t least, const Count& count) {
  Range left = range;
  while (left.size() > 0) {
    const std::int64_t middle = left.begin + left.size() / 2;
    if (count(middle) < least) {
      left.begin = middle + 1;
    } else {
      left.end = middle;
    }
  }
  return left.begin;
}

/// How many threads work on the strips up to each of them, where strips are about equally wide.
std::vector<std::int64_t> threads_of_strips(const Region& region, int strips, int threads) {
  std::vector<std::int64_t> until;
  for (int strip = 1; strip <= strips; ++strip) {
    const std::int64_t column = region.columns.begin + region.columns.size() * strip / strips;
    const double part = static_cast<double>(region.before_column(column)) /
                        static_cast<double>(std::max<std::int64_t>(region.entries(), 1));
    until.push_back(std::llround(part * threads));
  }
  until.back() = threads;
  return until;
}

/// A strip of columns cut into rows.
void cut_strip(const Region& region, const Range& strip, std::int64_t threads,
               std::vector<Tile>& tiles) {
  const std::int64_t rows = std::min(region.rows, strip.end);
  const std::int64_t entries = region.before_row(strip, rows);
  std::int64_t begin = 0;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    const std::int64_t end =
        thread + 1 == threads
            ? rows
            : first_with({begin, rows}, entries * (thread + 1) / threads,
                         [&](std::int64_t row) { return region.before_row(strip, row); });
    const std::int64_t first = std::max(strip.begin, begin);
    tiles.push_back(begin < end && first < strip.end ? Tile{{begin, end}, {first, strip.end}}
                                                     : Tile{});
    begin = end;
  }
}

std::vector<Tile> cut_into_strips(const Region& region, int strips, int threads) {
  std::vector<Tile> tiles;
  std::int64_t column = region.columns.begin;
  std::int64_t before = 0;
  for (const std::int64_t until : threads_of_strips(region, strips, threads)) {
    if (until <= before) {
      continue;  // too narrow for a thread: the next strip has its columns
    }
    const std::int64_t end =
        until == threads
            ? region.columns.end
            : first_with({column, region.columns.end}, region.entries() * until / threads,
                         [&](std::int64_t c) { return region.before_column(c); });
    cut_strip(region, {column, end}, until - before, tiles);
    column = end;
    before = until;
  }
  return tiles;
}

}  // namespace

std::int64_t input_count(const std::vector<Tile>& tiles) {
  std::int64_t count = 0;
  for (const Tile& tile : tiles) {
    count += tile.input_count();
  }
  return count;
}

std::vector<Tile> cut_into_tiles(const Block& block, int threads) {
  if (block.kept == Kept::all) {
    std::vector<Tile> tiles;
    tiles.reserve(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) {
      tiles.push_back({share(block.rows.size(), thread, threads), {0, block.columns.size()}});
    }
    return tiles;
  }
  const Region region(block);
  std::vector<Tile> best = cut_into_strips(region, 1, threads);
  for (int strips = 2; strips <= threads; ++strips) {
    std::vector<Tile> tiles = cut_into_strips(region, strips, threads);
    if (input_count(tiles) < input_count(best)) {
      best = std::move(tiles);
    }
  }
  return best;
}

Block block_of(const Block& block, const Tile& tile) {
  const std::int64_t column_begin = block.columns.begin - block.column_offset();
  return {block.kept,
          {block.rows.begin + tile.rows.begin, block.rows.begin + tile.rows.end},
          {column_begin + tile.columns.begin, column_begin + tile.columns.end}};
}

}  // namespace bankfull::npb::cg
