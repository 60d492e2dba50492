#pragma once

#include "bankfull/core/memory/memory.hpp"
#include "bankfull/core/memory/memory_region.hpp"

#include <cstddef>
#include <type_traits>

namespace bankfull {

/// Owns `size` uninitialised elements in one memory space. Moves, never copies.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "buffers hold plain data");

 public:
  Buffer() = default;
  /// `size` in elements, 0 and more. Throws RuntimeFailure as Memory does.
  Buffer(MemorySpace space, std::size_t size) : memory_(space, size * sizeof(T)), size_(size) {}
  /// The same in a region's memory.
  Buffer(const MemoryRegion& region, std::size_t size)
      : memory_(region.take(size * sizeof(T))), size_(size) {}

  /// The first element; null where nothing was allocated. Only GPUs may read memory of the device.
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
  /// In elements.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Those of the elements, without what the allocation rounds up to.
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  /// Where it lies; the host where nothing was allocated.
  [[nodiscard]] MemorySpace space() const { return memory_.space(); }

 private:
  Memory memory_;
  std::size_t size_ = 0;
};

}  // namespace bankfull
