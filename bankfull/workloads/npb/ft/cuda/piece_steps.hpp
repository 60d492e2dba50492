#pragma once

#include "bankfull/core/base/host_device.hpp"

namespace bankfull::npb::ft::cuda {

/// Locates the points of a thread along an axis of which each rank has a piece: all pieces have the
/// same number of points, a power of two, and so is the distance between consecutive points of the
/// thread. The ways in `Apart` points; the first point is one of the first `Apart` of the axis.
///
/// One of the two powers divides the other, so that only the first point and whole ways count.
template <int Apart>
struct PieceSteps {
  int log2_extent;  ///< of a piece
  int first;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int rank_of(int point) const {
    return (first >> log2_extent) + (point * Apart >> log2_extent);
  }
  /// Where in its piece the first point is; the others of a piece follow in steps of `Apart`.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int begin() const { return first & within(); }
  /// So many steps on from there is this point in its own piece.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int steps_to(int point) const {
    return (point * Apart & within()) / Apart;
  }

 private:
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int within() const { return (1 << log2_extent) - 1; }
};

}  // namespace bankfull::npb::ft::cuda
