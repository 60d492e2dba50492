#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/field/view.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cstdint>

namespace bankfull {

/// Elements between the starts of neighbouring fields of a set: an odd number of segments modulo
/// 4 KiB, which keeps row (i, j) of all fields off the same cache sets.
inline std::int64_t field_stride(const Layout& layout, std::size_t element_bytes) {
  constexpr std::int64_t page_bytes = 4096;
  constexpr std::int64_t skew_bytes = 3 * Layout::alignment_bytes;
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::int64_t field_bytes = layout.size() * bytes;
  return (field_bytes + (skew_bytes - field_bytes % page_bytes + page_bytes) % page_bytes) / bytes;
}

/// Bytes that a FieldSet<T> of `count` fields allocates.
template <class T>
std::int64_t field_set_bytes(const Layout& layout, int count) {
  return count * field_stride(layout, sizeof(T)) * static_cast<std::int64_t>(sizeof(T));
}

/// `count` congruent fields in one allocation: one offset (i, j, k) serves all of them, and field n
/// starts `stride()` elements after field n - 1. The contents are uninitialised. A const set hands
/// out views that read only.
template <class T>
class FieldSet {
  static_assert(Layout::alignment_bytes % sizeof(T) == 0,
                "fields hold values whose size divides 128 bytes, such as float or double");

 public:
  /// In host memory that nothing has touched yet, or in memory of the GPU that is selected, which
  /// must be `device`. Throws RuntimeFailure where the system has no such memory.
  FieldSet(const Layout& layout, int count, Device device)
      : layout_(layout),
        count_(count),
        stride_(field_stride(layout, sizeof(T))),
        buffer_(memory_space_of(device), static_cast<std::size_t>(count * stride_)) {}

  /// One field, 0 <= `field` < count(): checked where assertions are on. Valid as long as the set.
  [[nodiscard]] FieldView<T> operator[](int field) { return view(field); }
  /// The same, to read only.
  [[nodiscard]] FieldView<const T> operator[](int field) const { return view(field); }

  /// All fields at once, as kernels take them; the set must have one. Valid as long as the set.
  [[nodiscard]] FieldSetView<T> views() { return {view(0), stride_, count_}; }
  /// The same, to read only.
  [[nodiscard]] FieldSetView<const T> views() const { return {view(0), stride_, count_}; }

  /// Of each of the fields.
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Number of fields.
  [[nodiscard]] int count() const { return count_; }
  /// Elements from a cell of one field to the same cell of the next: `field_stride`.
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  /// Start of the allocation, where the padding of field 0 begins: its interior cell (0, 0, 0) is
  /// layout().origin() elements further on.
  [[nodiscard]] T* data() { return buffer_.data(); }
  /// The same, to read only.
  [[nodiscard]] const T* data() const { return buffer_.data(); }
  /// Elements of the allocation, with all ghosts and padding: count() times stride().
  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  /// The same in bytes, as `field_set_bytes` predicts.
  [[nodiscard]] std::size_t bytes() const { return buffer_.bytes(); }

 private:
  [[nodiscard]] FieldView<T> view(int field) const {
    expects(field >= 0 && field < count_, "field number is in the set");
    return {buffer_.data() + field * stride_ + layout_.origin(), layout_.row_pitch(),
            layout_.plane_pitch(), grown(box_of(layout_.interior()), layout_.ghosts())};
  }

  Layout layout_;
  int count_;
  std::int64_t stride_;
  Buffer<T> buffer_;
};

}  // namespace bankfull
