#pragma once

#include "bankfull/core/field/box.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull {

/// Where the cells of a field lie in memory. All lengths are in elements unless they say bytes.
///
/// The first *interior* cell of every row is aligned to `alignment_bytes`, so that vector loads of
/// a warp or a SIMD lane group start on a segment. The ghost cells on the left of a row share the
/// padding at the end of the row before it: a row of 1022 + 2 ghosts takes exactly 1024 elements.
///
/// Rows are whole segments and planes are kept off multiples of 4 KiB, where the same row of
/// neighbouring planes and fields would compete for the same cache sets.
///
/// Fields of equal extents, ghost width and element size are *congruent*: one offset serves them
/// all (J. M. Cohen and M. J. Molemaker, "A fast double precision CFD code using CUDA", 2009,
/// section "congruent padding").
class Layout {
 public:
  /// A segment: a cache line of NVIDIA's GPUs, two of x86 processors.
  static constexpr std::int64_t alignment_bytes = 128;

  /// `interior` has at least one cell along each axis, `ghosts` cells (0 or more) surround it on
  /// all sides, and `element_bytes` divides `alignment_bytes`. Throws UsageError otherwise, and for
  /// more than 10^18 bytes.
  Layout(Extents interior, std::int64_t ghosts, std::size_t element_bytes);

  /// Without ghosts, with pitches that others have chosen.
  static Layout with_pitches(Extents interior, std::int64_t row_pitch, std::int64_t plane_pitch);

  /// Cells without the ghosts.
  [[nodiscard]] Extents interior() const { return interior_; }
  /// Width of the ghost cells in cells, the same on all sides.
  [[nodiscard]] std::int64_t ghosts() const { return ghosts_; }
  /// Elements from cell (i, j, k) to (i, j + 1, k), ghosts and padding included.
  [[nodiscard]] std::int64_t row_pitch() const { return row_pitch_; }
  /// Elements from cell (i, j, k) to (i + 1, j, k); not always a multiple of the row pitch.
  [[nodiscard]] std::int64_t plane_pitch() const { return plane_pitch_; }

  /// Offset of cell (i, j, k) from interior cell (0, 0, 0).
  [[nodiscard]] constexpr std::int64_t offset(std::int64_t i, std::int64_t j,
                                              std::int64_t k) const {
    return i * plane_pitch_ + j * row_pitch_ + k;
  }

  /// Offset of interior cell (0, 0, 0) from the start of the allocation.
  [[nodiscard]] std::int64_t origin() const { return origin_; }

  /// Elements to allocate for one field.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Equal extents, ghosts and pitches: each cell lies at the same offset in both.
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  Layout() = default;

  Extents interior_;
  std::int64_t ghosts_ = 0;
  std::int64_t row_pitch_ = 0;
  std::int64_t plane_pitch_ = 0;
  std::int64_t origin_ = 0;
  std::int64_t size_ = 0;
};

}  // namespace bankfull
