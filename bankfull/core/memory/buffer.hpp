#pragma once

#include "bankfull/core/memory/memory.hpp"

#include <cstddef>
#include <type_traits>

namespace bankfull {

/// Owns `size` uninitialised elements in one memory space. Moves, never copies.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "buffers hold plain data");

 public:
  Buffer() = default;
  Buffer(MemorySpace space, std::size_t size) : memory_(space, size * sizeof(T)), size_(size) {}

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  [[nodiscard]] MemorySpace space() const { return memory_.space(); }

 private:
  Memory memory_;
  std::size_t size_ = 0;
};

}  // namespace bankfull
