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
 public:
  FieldSet(const Layout& layout, int count, Device device)
      : layout_(layout),
        count_(count),
        stride_(field_stride(layout, sizeof(T))),
        buffer_(memory_space_of(device), static_cast<std::size_t>(count * stride_)) {}

  [[nodiscard]] FieldView<T> operator[](int field) { return view(field); }
  [[nodiscard]] FieldView<const T> operator[](int field) const { return view(field); }

  [[nodiscard]] FieldSetView<T> views() { return {view(0), stride_, count_}; }
  [[nodiscard]] FieldSetView<const T> views() const { return {view(0), stride_, count_}; }

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] std::int64_t stride() const { return stride_; }
  [[nodiscard]] T* data() { return buffer_.data(); }
  [[nodiscard]] const T* data() const { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
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
