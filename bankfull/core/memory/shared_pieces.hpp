#pragma once

#include "bankfull/core/memory/memory.hpp"

#include <cstddef>
#include <list>
#include <map>

namespace bankfull::detail {

/// The memory of a MemoryRegion and its parts, which share it.
class SharedPieces {
 public:
  explicit SharedPieces(Memory whole);

  [[nodiscard]] MemorySpace space() const { return space_; }
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }

  [[nodiscard]] void* take(std::size_t bytes);
  /// `data` comes from `take`.
  void give_back(void* data) noexcept;

 private:
  struct Part {
    std::size_t bytes;
    bool free;
  };

  /// One allocation, which parts without gaps between them fill.
  class Piece {
   public:
    explicit Piece(Memory memory);

    /// The first part that is large enough; null if there is none.
    [[nodiscard]] void* take(std::size_t bytes);
    /// Whether it was a part of this.
    bool give_back(void* data) noexcept;
    [[nodiscard]] bool is_free() const { return parts_.size() == 1 && parts_.begin()->second.free; }

   private:
    Memory memory_;
    std::map<std::byte*, Part> parts_;
  };

  MemorySpace space_;
  std::size_t further_bytes_;  ///< of further pieces, at least
  std::list<Piece> pieces_;
};

}  // namespace bankfull::detail
