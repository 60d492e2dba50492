#pragma once

#include <cstdint>

namespace bankfull {

/// Numbers of cells along i, j, k; k is contiguous in memory.
struct Extents {
  std::int64_t ni = 0;  ///< planes
  std::int64_t nj = 0;  ///< rows of a plane
  std::int64_t nk = 0;  ///< cells of a row

  /// The number of cells, if no extent is negative.
  [[nodiscard]] constexpr std::int64_t count() const { return ni * nj * nk; }
  /// Equal along each axis; the same count does not suffice.
  friend constexpr bool operator==(const Extents&, const Extents&) = default;
};

/// The cells i0 <= i < i1, j0 <= j < j1, k0 <= k < k1.
struct Box {
  std::int64_t i0 = 0;  ///< first along i
  std::int64_t i1 = 0;  ///< one past the last along i
  std::int64_t j0 = 0;  ///< first along j
  std::int64_t j1 = 0;  ///< one past the last along j
  std::int64_t k0 = 0;  ///< first along k
  std::int64_t k1 = 0;  ///< one past the last along k

  /// Negative along an axis whose end lies before its begin.
  [[nodiscard]] constexpr Extents extents() const { return {i1 - i0, j1 - j0, k1 - k0}; }
  /// Whether it has no cells: one axis without any suffices.
  [[nodiscard]] constexpr bool empty() const { return i1 <= i0 || j1 <= j0 || k1 <= k0; }
  /// Equal bounds: empty boxes may differ.
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// All interior cells, from 0.
constexpr Box box_of(Extents interior) { return {0, interior.ni, 0, interior.nj, 0, interior.nk}; }

/// The box with `width` more cells on every side.
constexpr Box grown(const Box& box, std::int64_t width) {
  return {box.i0 - width, box.i1 + width, box.j0 - width,
          box.j1 + width, box.k0 - width, box.k1 + width};
}

/// Whether all cells of `inner`, if it has any, are cells of `outer`.
constexpr bool contains(const Box& outer, const Box& inner) {
  return inner.empty() || (outer.i0 <= inner.i0 && inner.i1 <= outer.i1 && outer.j0 <= inner.j0 &&
                           inner.j1 <= outer.j1 && outer.k0 <= inner.k0 && inner.k1 <= outer.k1);
}

/// The box with all of its cells moved by so many along each axis.
constexpr Box moved(const Box& box, std::int64_t di, std::int64_t dj, std::int64_t dk) {
  return {box.i0 + di, box.i1 + di, box.j0 + dj, box.j1 + dj, box.k0 + dk, box.k1 + dk};
}

}  // namespace bankfull
