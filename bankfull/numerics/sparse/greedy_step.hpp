#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"

#include <cstdint>

namespace bankfull {

/// Which of 256 colours are taken.
struct ColourSet {
  std::uint64_t word[4] = {};  ///< bit c % 64 of word c / 64 is set if colour c is taken

  /// Marks a colour as taken, which it may be already.
  BANKFULL_HOST_DEVICE void add(Colour colour) {
    // Compared, not indexed: on a GPU the words then stay in registers.
    for (int n = 0; n < 4; ++n) {
      word[n] |= colour / 64 == n ? std::uint64_t{1} << (colour % 64) : 0;
    }
  }

  /// The smallest colour that is not in the set; no_colour where all are.
  [[nodiscard]] BANKFULL_HOST_DEVICE Colour smallest_free() const {
    for (int n = 0; n < 4; ++n) {
      for (int bit = 0; bit < 64 && word[n] != ~std::uint64_t{0}; ++bit) {
        if (((word[n] >> bit) & 1U) == 0) {
          return static_cast<Colour>(64 * n + bit);  // the last one is no_colour
        }
      }
    }
    return no_colour;
  }
};

/// The choice of one row when all connected rows before it have their colours.
struct GreedyStep {
  CsrView matrix = {};         ///< of a symmetric pattern between own rows
  const Colour* colours = {};  ///< of each row; only those of rows before it are read

  /// The smallest colour that no connected row before this one has; no_colour if there is none.
  [[nodiscard]] BANKFULL_HOST_DEVICE Colour colour_of(std::int64_t row) const {
    ColourSet taken;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      if (matrix.column[n] < row) {
        taken.add(colours[matrix.column[n]]);
      }
    }
    return taken.smallest_free();
  }
};

namespace detail {
inline int checked_colour_count(Colour largest) {
  if (largest == no_colour) {
    throw RuntimeFailure("the matrix needs more than 254 colours");
  }
  return largest + 1;
}
}  // namespace detail

}  // namespace bankfull
