#include "bankfull/workloads/npb/cg/blocks.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::npb::cg {
namespace {

/// Ranks as side by side blocks of `depth` slices each.
struct BlockGrid {
  int side = 1;
  int depth = 1;
};

BlockGrid grid_of(int ranks) {
  BlockGrid grid{1, ranks};
  for (int side = 2; side * side <= ranks; ++side) {
    if (ranks % (side * side) == 0) {
      grid = {side, ranks / (side * side)};
    }
  }
  return grid;
}

/// Rows of one row of blocks: the pieces of its ranks.
Range segment(std::int64_t rows, const BlockGrid& grid, int number) {
  const int ranks = grid.side * grid.side * grid.depth;
  const int of_segment = grid.side * grid.depth;
  return {piece_of(rows, number * of_segment, ranks).begin,
          piece_of(rows, (number + 1) * of_segment - 1, ranks).end};
}

Range slice(const Range& range, int number, int slices) {
  const Range part = share(range.size(), number, slices);
  return {range.begin + part.begin, range.begin + part.end};
}

/// Where slices with equal parts of a triangle begin: row t has size - t entries.
std::int64_t triangle_row(std::int64_t size, int number, int slices) {
  const double left = 1.0 - static_cast<double>(number) / slices;
  return std::llround(static_cast<double>(size) * (1.0 - std::sqrt(left)));
}

Range triangle_slice(const Range& range, int number, int slices) {
  return {range.begin + triangle_row(range.size(), number, slices),
          range.begin + triangle_row(range.size(), number + 1, slices)};
}

}  // namespace

std::int64_t total_size(const std::vector<Range>& ranges) {
  std::int64_t total = 0;
  for (const Range& range : ranges) {
    total += range.size();
  }
  return total;
}

std::vector<Range> Block::inputs() const {
  if (kept == Kept::all || rows.begin == columns.begin) {
    return {columns};
  }
  return {rows, columns};
}

std::vector<Range> Block::outputs() const {
  return kept == Kept::all ? std::vector<Range>{rows} : inputs();
}

std::int64_t Block::input_count() const { return total_size(inputs()); }
std::int64_t Block::output_count() const { return total_size(outputs()); }

std::int64_t Block::column_offset() const { return input_count() - columns.size(); }

Block block_of(std::int64_t rows, Kept kept, int rank, int ranks) {
  const BlockGrid grid = grid_of(ranks);
  const int slice_number = rank % grid.depth;
  const int j = rank / grid.depth % grid.side;
  const int i = rank / grid.depth / grid.side;
  if (kept == Kept::all) {
    return {kept, slice(segment(rows, grid, i), slice_number, grid.depth), segment(rows, grid, j)};
  }
  if (i == j) {
    const Range whole = segment(rows, grid, i);
    const Range part = triangle_slice(whole, slice_number, grid.depth);
    return {kept, part, {part.begin, whole.end}};
  }
  const int half = i < j ? slice_number : grid.depth + slice_number;
  return {kept, slice(segment(rows, grid, std::min(i, j)), half, 2 * grid.depth),
          segment(rows, grid, std::max(i, j))};
}

Block largest_block(std::int64_t rows, Kept kept, int ranks) {
  Block largest;
  for (int rank = 0; rank < ranks; ++rank) {
    const Block block = block_of(rows, kept, rank, ranks);
    if (block.input_count() > largest.input_count()) {
      largest = block;
    }
  }
  return largest;
}

std::optional<Overlap> overlap_of(const Range& piece, const std::vector<Range>& ranges) {
  std::int64_t before = 0;
  for (const Range& range : ranges) {
    const Range common{std::max(piece.begin, range.begin), std::min(piece.end, range.end)};
    if (common.begin < common.end) {
      return Overlap{common, before + common.begin - range.begin};
    }
    before += range.size();
  }
  return std::nullopt;
}

}  // namespace bankfull::npb::cg
