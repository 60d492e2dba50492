#include "bankfull/core/memory/memory_region.hpp"

#include "bankfull/core/memory/shared_pieces.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bankfull {

// Not of sizes that no system has: these are left to the allocation to refuse.
std::size_t MemoryRegion::taken_by(std::size_t bytes) {
  const std::size_t more = std::max<std::size_t>(bytes, 1) + alignment - 1;
  return more < bytes ? bytes : more / alignment * alignment;
}

namespace detail {

SharedPieces::SharedPieces(Memory whole)
    : space_(whole.space()), further_bytes_(whole.bytes() / 32) {
  pieces_.emplace_back(std::move(whole));
}

void* SharedPieces::take(std::size_t bytes) {
  const std::size_t whole = MemoryRegion::taken_by(bytes);
  for (Piece& piece : pieces_) {
    if (void* const data = piece.take(whole); data != nullptr) {
      return data;
    }
  }
  pieces_.emplace_back(Memory(space_, std::max(whole, MemoryRegion::taken_by(further_bytes_))));
  return pieces_.back().take(whole);
}

void SharedPieces::give_back(void* data) noexcept {
  for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
    if (piece->give_back(data)) {
      if (piece != pieces_.begin() && piece->is_free()) {
        pieces_.erase(piece);
      }
      return;
    }
  }
}

SharedPieces::Piece::Piece(Memory memory) : memory_(std::move(memory)) {
  parts_.emplace(static_cast<std::byte*>(memory_.data()), Part{memory_.bytes(), true});
}

void* SharedPieces::Piece::take(std::size_t bytes) {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const auto& part) {
    return part.second.free && part.second.bytes >= bytes;
  });
  if (found == parts_.end()) {
    return nullptr;
  }
  Part& part = found->second;
  if (part.bytes > bytes) {
    parts_.emplace_hint(std::next(found), found->first + bytes, Part{part.bytes - bytes, true});
  }
  part = {bytes, false};
  return found->first;
}

bool SharedPieces::Piece::give_back(void* data) noexcept {
  const auto found = parts_.find(static_cast<std::byte*>(data));
  if (found == parts_.end()) {
    return false;
  }
  found->second.free = true;
  // Neighbours join: what is free is never followed by what is free.
  const auto join = [&](auto first) {
    const auto second = std::next(first);
    if (second != parts_.end() && first->second.free && second->second.free) {
      first->second.bytes += second->second.bytes;
      parts_.erase(second);
    }
  };
  join(found);
  if (found != parts_.begin()) {
    join(std::prev(found));
  }
  return true;
}

}  // namespace detail

MemoryRegion::MemoryRegion(MemorySpace space, std::size_t bytes)
    : MemoryRegion(Memory(space, taken_by(bytes))) {}

MemoryRegion::MemoryRegion(Memory whole)
    : pieces_(std::make_shared<detail::SharedPieces>(std::move(whole))) {}

Memory MemoryRegion::take(std::size_t bytes) const {
  void* const data = pieces_->take(bytes);
  return {data, bytes, pieces_};
}

std::size_t MemoryRegion::allocations() const { return pieces_->pieces(); }

}  // namespace bankfull
