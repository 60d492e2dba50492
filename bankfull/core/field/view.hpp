#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/field/box.hpp"

#include <cassert>
#include <cstdint>

namespace bankfull {

/// A field as kernels see it: small, passed by value, indexed (i, j, k) with ghost cells at -1 and
/// n.
///
/// It does not own the memory. Bounds are checked where assertions are on.
template <class T>
struct FieldView {
  T* origin = nullptr;  ///< interior cell (0, 0, 0)
  std::int64_t row_pitch = 0;
  std::int64_t plane_pitch = 0;
  Box reach;  ///< interior and ghost cells

  BANKFULL_HOST_DEVICE T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    assert(i >= reach.i0 && i < reach.i1);
    assert(j >= reach.j0 && j < reach.j1);
    assert(k >= reach.k0 && k < reach.k1);
    return origin[i * plane_pitch + j * row_pitch + k];
  }

  /// The row (i, j, .): k = 0 is its first interior cell.
  BANKFULL_HOST_DEVICE T* row(std::int64_t i, std::int64_t j) const {
    assert(i >= reach.i0 && i < reach.i1);
    assert(j >= reach.j0 && j < reach.j1);
    return origin + i * plane_pitch + j * row_pitch;
  }
};

}  // namespace bankfull
