#pragma once

#include "bankfull/core/memory/memory.hpp"

#include <cstddef>
#include <memory>

namespace bankfull {

/// Hands out large memory in parts, for data made of many arrays: a GPU's driver takes long
/// for each large one, and as long to take it back.
///
/// What is handed back is handed out again at once. On a GPU all work on the parts must therefore
/// be queued on one stream until the last of them is made. Not for several threads.
class MemoryRegion {
 public:
  /// Allocates so many bytes. What finds no room later has further allocations, which are released
  /// as soon as nothing of them is in use.
  MemoryRegion(MemorySpace space, std::size_t bytes);

  /// Hands out this memory, which may be a part of another region, from whose other parts it is
  /// then independent: regions side by side can be one allocation and belong to several threads.
  explicit MemoryRegion(Memory whole);

  /// Memory of any size. It may outlive the region: it is released with its last part.
  [[nodiscard]] Memory take(std::size_t bytes) const;

  /// How many allocations its parts lie in: more than one where not all found room in the first.
  [[nodiscard]] std::size_t allocations() const;

  /// A multiple of this is the address of each part.
  static constexpr std::size_t alignment = 512;

  /// What a part of so many bytes takes: whole units of the alignment, one at least.
  [[nodiscard]] static std::size_t taken_by(std::size_t bytes);

 private:
  std::shared_ptr<detail::SharedPieces> pieces_;
};

}  // namespace bankfull
