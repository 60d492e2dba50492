#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/field/box.hpp"

#include <cstdint>
#include <type_traits>

namespace bankfull {

/// A field as kernels see it: small, passed by value, indexed (i, j, k) with ghost cells at -1 and
/// n. A FieldView<const T> reads only.
///
/// It does not own the memory. Bounds are checked where assertions are on, in kernels too.
template <class T>
struct FieldView {
  T* origin = nullptr;           ///< interior cell (0, 0, 0)
  std::int64_t row_pitch = 0;    ///< elements from (i, j, k) to (i, j + 1, k)
  std::int64_t plane_pitch = 0;  ///< elements from (i, j, k) to (i + 1, j, k)
  Box reach;                     ///< interior and ghost cells

  /// The value at cell (i, j, k) of `reach`.
  BANKFULL_HOST_DEVICE T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    expects(k >= reach.k0 && k < reach.k1, "k is within the field's reach");
    return row(i, j)[k];
  }

  /// The row (i, j, .): k = 0 is its first interior cell.
  BANKFULL_HOST_DEVICE T* row(std::int64_t i, std::int64_t j) const {
    expects(i >= reach.i0 && i < reach.i1, "i is within the field's reach");
    expects(j >= reach.j0 && j < reach.j1, "j is within the field's reach");
    return origin + i * plane_pitch + j * row_pitch;
  }

  /// The same cells with (i, j, k) as cell (0, 0, 0).
  BANKFULL_HOST_DEVICE FieldView from(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return {&(*this)(i, j, k), row_pitch, plane_pitch, moved(reach, -i, -j, -k)};
  }

  /// The same field, to read only.
  template <class Reader>
  requires(!std::is_const_v<T> && std::is_same_v<Reader, const T>) BANKFULL_HOST_DEVICE
  operator FieldView<Reader>() const {
    return {origin, row_pitch, plane_pitch, reach};
  }
};

/// The congruent fields of a FieldSet as kernels see them.
template <class T>
struct FieldSetView {
  FieldView<T> first;       ///< field 0
  std::int64_t stride = 0;  ///< elements from one field to the next
  int count = 0;            ///< number of fields

  /// One field, 0 <= `field` < `count`.
  BANKFULL_HOST_DEVICE FieldView<T> operator[](int field) const {
    expects(field >= 0 && field < count, "field number is in the set");
    FieldView<T> view = first;
    view.origin += field * stride;
    return view;
  }

  /// The same cells with (i, j, k) as cell (0, 0, 0).
  BANKFULL_HOST_DEVICE FieldSetView from(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return {first.from(i, j, k), stride, count};
  }

  /// The same fields, to read only.
  template <class Reader>
  requires(!std::is_const_v<T> && std::is_same_v<Reader, const T>) BANKFULL_HOST_DEVICE
  operator FieldSetView<Reader>() const {
    return {first, stride, count};
  }
};

}  // namespace bankfull
