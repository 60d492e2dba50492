#pragma once

#include "bankfull/workloads/npb/ft/cuda/points.cuh"
#include "bankfull/workloads/npb/ft/cuda/shape.hpp"

namespace bankfull::npb::ft::cuda {

/// Where the points of a checksum are: point j, from 1 to `checksum_points`, is j steps along each
/// axis from the origin.
class Samples {
 public:
  /// The samples of a whole field, whose planes are counted from `first_plane` on.
  explicit Samples(const Shape& shape, int first_plane = 0)
      : depth_(shape.depth),
        first_plane_(first_plane),
        row_step_(shape.along_row.checksum_step),
        column_step_(shape.along_column.checksum_step),
        inverse_(inverse(static_cast<unsigned>(shape.along_depth.checksum_step))) {}

  /// The first point of a plane. The others follow `depth()` apart.
  [[nodiscard]] BANKFULL_HOST_DEVICE int first_of(int plane) const {
    const auto j =
        static_cast<int>(inverse_ * static_cast<unsigned>(first_plane_ + plane)) & (depth_ - 1);
    return j == 0 ? depth_ : j;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE int depth() const { return depth_; }
  [[nodiscard]] BANKFULL_HOST_DEVICE int row_of(int j, int side) const {
    return row_step_ * j & (side - 1);
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE int column_of(int j, int side) const {
    return column_step_ * j & (side - 1);
  }

 private:
  /// The inverse of an odd number, modulo 2^32; each step doubles the bits that are right.
  static constexpr unsigned inverse(unsigned odd) {
    unsigned result = odd;
    for (int bits = 3; bits < 32; bits *= 2) {
      result *= 2U - odd * result;
    }
    return result;
  }

  int depth_;
  int first_plane_;
  int row_step_;
  int column_step_;
  unsigned inverse_;
};

/// Keeps the compiler from omitting points that only few blocks read: every point of a transform is
/// computed.
template <int Count>
__device__ __forceinline__ void keep(const Points<Count>& x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    asm volatile("" ::"d"(x[i].x), "d"(x[i].y));
  }
}

/// Terms of the checksum among the transformed rows of a block, of which a thread has points of
/// one. Term j goes to terms[j - 1].
template <class Fft>
__device__ __forceinline__ void take_samples(const Samples& samples, const Fft& fft, int plane,
                                             int row, const Points<Fft::points>& x,
                                             double2* terms) {
  keep(x);
  for (int j = samples.first_of(plane); j <= checksum_points; j += samples.depth()) {
    if (samples.row_of(j, Fft::length) != row) {
      continue;
    }
    const int column = samples.column_of(j, Fft::length);
#pragma unroll
    for (int i = 0; i < Fft::points; ++i) {
      if (fft.element(i) == column) {
        terms[j - 1] = x[i];
      }
    }
  }
}

}  // namespace bankfull::npb::ft::cuda
