#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace bankfull::npb::cg {

/// Which entries of the symmetric matrix are kept.
enum class Kept {
  upper,  ///< those right of the diagonal; each serves its mirror image too
  all,    ///< all but the diagonal
};

std::int64_t total_size(const std::vector<Range>& ranges);

/// A rank's elements of each vector: the ranks' pieces follow each other and are equal but for one
/// element.
constexpr Range piece_of(std::int64_t rows, int rank, int ranks) {
  return share(rows, rank, ranks);
}

/// The entries that a rank multiplies by. The diagonal belongs to no block: it is kept with the
/// pieces.
///
/// With `Kept::upper` an entry is right of the diagonal, and its row and column both need x and get
/// a sum; with `Kept::all` columns need x and rows get sums. Elements that are needed, and those
/// that get sums, are numbered through their ranges one after the other.
struct Block {
  Kept kept = Kept::upper;
  Range rows;
  Range columns;

  [[nodiscard]] std::vector<Range> inputs() const;
  [[nodiscard]] std::vector<Range> outputs() const;

  [[nodiscard]] std::int64_t input_count() const;
  [[nodiscard]] std::int64_t output_count() const;

  /// Number of the first column among the inputs.
  [[nodiscard]] std::int64_t column_offset() const;

  friend constexpr bool operator==(const Block&, const Block&) = default;
};

/// Cuts the matrix among ranks = depth side^2, side as large as can be: into side by side blocks as
/// NPB's program does, each of them by rows into `depth` slices. Where two blocks mirror each
/// other, only one is kept with `Kept::upper`, and the ranks of both share its rows. Blocks have
/// about as many entries each, and a rank needs about 1 / side of the vectors.
Block block_of(std::int64_t rows, Kept kept, int rank, int ranks);

/// The block that has most inputs.
Block largest_block(std::int64_t rows, Kept kept, int ranks);

/// A part of a piece, and where it stands among inputs or outputs.
struct Overlap {
  Range elements;
  std::int64_t number = 0;  ///< of the first one
};

/// The intersection of a piece with `ranges`: one contiguous part, because a piece is in one row of
/// blocks.
std::optional<Overlap> overlap_of(const Range& piece, const std::vector<Range>& ranges);

}  // namespace bankfull::npb::cg
