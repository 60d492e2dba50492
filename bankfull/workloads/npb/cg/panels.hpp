#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/cg/tiles.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::cg {

/// Columns of a panel, numbered in 16 bits: so many pairs of x and sum stay in a core's caches
/// while the matrix streams through them. The larger the class, the fewer entries a row has in as
/// many columns, and a loop over few entries ends by surprise: panels are twice as wide until a
/// piece has `enough_in_piece`, up to a quarter of a megabyte of pairs.
inline constexpr std::int64_t min_panel_columns = 4096;
inline constexpr std::int64_t max_panel_columns = 16384;
inline constexpr std::int64_t enough_in_piece = 24;

/// For a tile of so many rows, columns and entries.
std::int64_t panel_columns(std::int64_t rows, std::int64_t columns, std::int64_t entries);

/// A panel of a tile.
struct Panel {
  std::int64_t first_column = 0;  ///< of the tile's
  Range rows;                     ///< from the first to the last that has entries in the panel
  std::int64_t first_piece = 0;
  std::int64_t first_entry = 0;
};

/// The entries of one thread, cut into panels of columns. A *piece* is the part of a row in a
/// panel; pieces stand panel by panel, rows ascending. Rows count from where the tile begins.
struct Part {
  Tile tile;
  std::vector<Panel> panels;
  Buffer<std::uint16_t> lengths;  ///< of pieces
  Buffer<std::uint16_t> columns;  ///< within the panel
  Buffer<double> values;
};

/// A block of the matrix as the products read it: 10 bytes per entry. Each thread assembles its
/// part by itself, so that it touches it first and nothing else has ever to hold the whole.
class Panels {
 public:
  /// The entries of `block` times `scale`.
  Panels(Class size, const Block& block, const Team& team, double scale = 1.0);

  [[nodiscard]] const Block& block() const { return block_; }
  [[nodiscard]] const Part& part(int thread) const {
    return parts_[static_cast<std::size_t>(thread)];
  }

  /// Bytes that a product reads.
  [[nodiscard]] std::int64_t bytes() const;

  /// Bytes of all threads' pairs.
  [[nodiscard]] std::int64_t pair_bytes() const;

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

/// The order in which a product goes through panels. Where products alternate, each begins with
/// what the one before left in the caches.
enum class PanelOrder { ascending, descending };

/// y = A x in the part's rows of the block; for `Kept::all`.
void multiply_all(const Part& part, PanelOrder order, const double* x, double* y);

/// The products of the part's entries and of their mirror images with the block's inputs x; for
/// `Kept::upper`. `pairs` has an element for each input of the tile and need not be initialised.
void multiply_upper(const Part& part, PanelOrder order, const double* x, Pair* pairs);

/// Adds what a thread's pairs have for some of the block's inputs to their sums.
void add_sums(const Part& part, const Pair* pairs, const Range& inputs, double* sums);

}  // namespace bankfull::npb::cg
