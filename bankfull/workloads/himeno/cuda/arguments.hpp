#pragma once

#include "bankfull/workloads/himeno/cuda/tiles.hpp"

#include <cstdint>

namespace bankfull::himeno {

/// What a kernel of one iteration reads and writes, as plain pointers to interior cell (0, 0, 0).
/// Pitches and strides are in elements.
template <class T>
struct SweepArguments {
  TileGrid tiles;
  int nj, nk;  ///< interior points
  int row_pitch;
  std::int64_t plane_pitch;
  std::int64_t field_stride;  ///< between coefficient fields
  const T* coefficients;
  const T* pressure;
  T* next;               ///< its boundary equals that of `pressure`
  double* partial_gosa;  ///< one a block
  T omega;

  BANKFULL_HOST_DEVICE std::int64_t offset(int i, int j, int k) const {
    return i * plane_pitch + std::int64_t{j} * row_pitch + k;
  }
};

}  // namespace bankfull::himeno
