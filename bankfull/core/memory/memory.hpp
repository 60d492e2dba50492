#pragma once

#include "bankfull/core/machine/device.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bankfull {

/// Where memory lies.
enum class MemorySpace {
  host,    ///< pageable, 2 MiB aligned, huge pages requested
  pinned,  ///< page-locked host memory, for copies to and from a GPU
  device,  ///< memory of the selected GPU
};

namespace detail {
class SharedPieces;
}

/// Owns raw memory of one space. The contents are uninitialised and, on the host, untouched: the
/// team that will use them must touch them first.
///
/// Throws RuntimeFailure when the system refuses.
class Memory {
 public:
  Memory() : data_(nullptr, Release{}) {}
  /// Allocates; 0 bytes are memory too, whose address is not null. A RuntimeFailure also where a
  /// build without CUDA is asked for memory other than the host's.
  Memory(MemorySpace space, std::size_t bytes);

  /// Null where nothing was allocated. Only GPUs may read memory of the device.
  [[nodiscard]] void* data() const { return data_.get(); }
  /// As asked for; host memory may be larger: see `resident_bytes`.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The host where nothing was allocated.
  [[nodiscard]] MemorySpace space() const { return space_; }

 private:
  friend class MemoryRegion;

  struct Release {
    MemorySpace space = MemorySpace::host;
    std::size_t bytes = 0;
    std::shared_ptr<detail::SharedPieces> whole = nullptr;  ///< of which it is a part
    void operator()(void* data) const noexcept;
  };

  /// A part of others' memory.
  Memory(void* data, std::size_t bytes, std::shared_ptr<detail::SharedPieces> whole);

  std::unique_ptr<void, Release> data_;
  std::size_t bytes_ = 0;
  MemorySpace space_ = MemorySpace::host;
};

/// Measures how much memory of a space this process has allocated. At most one watch per space at a
/// time.
class MemoryWatch {
 public:
  /// From now on.
  explicit MemoryWatch(MemorySpace space);

  /// The maximum number of bytes of `Memory` held at the same time, beyond those held at the start.
  [[nodiscard]] std::int64_t max_bytes() const;

 private:
  MemorySpace space_;
  std::int64_t held_at_start_;
};

/// Where a device's data lies: GPU memory, or pageable memory of the host. Never pinned memory.
constexpr MemorySpace memory_space_of(Device device) {
  return device.is_cuda() ? MemorySpace::device : MemorySpace::host;
}

namespace detail {
// Defined in cuda_memory.cpp, which exists in builds with CUDA only.
void* allocate_pinned(std::size_t bytes);
void* allocate_device(std::size_t bytes);
void release_pinned(void* data) noexcept;
void release_device(void* data) noexcept;
}  // namespace detail

}  // namespace bankfull
