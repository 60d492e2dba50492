#include "bankfull/core/memory/memory.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/memory/clearing.hpp"
#include "bankfull/core/memory/resident.hpp"
#include "bankfull/core/memory/shared_pieces.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <sys/mman.h>
#include <utility>

namespace bankfull {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t whole_huge_pages(std::size_t bytes) {
  return (bytes + huge_page - 1) / huge_page * huge_page;
}

[[noreturn]] void refuse(std::size_t bytes) {
  throw RuntimeFailure("the system refused " + format_bytes(static_cast<double>(bytes)) +
                       " of host memory");
}

/// Fresh pages of the system, aligned to a huge page. The C library's allocator could return memory
/// that another thread has touched before, on any NUMA node.
void* map_pages(std::size_t bytes) {
  const std::size_t whole = whole_huge_pages(bytes);
  void* raw =
      mmap(nullptr, whole + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) {
    refuse(bytes);
  }
  auto* begin = static_cast<std::byte*>(raw);
  const std::size_t before =
      (huge_page - reinterpret_cast<std::uintptr_t>(raw) % huge_page) % huge_page;
  if (before > 0) {
    munmap(begin, before);
  }
  if (before < huge_page) {
    munmap(begin + before + whole, huge_page - before);
  }
  madvise(begin + before, whole, MADV_HUGEPAGE);  // a hint: without it we are slower, not wrong
  return begin + before;
}

void* allocate_host(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    refuse(bytes);  // as of a negative size: rounded up to whole pages it could be a small one
  }
  if (bytes >= huge_page) {
    return map_pages(bytes);
  }
  constexpr std::size_t alignment = 4096;
  void* data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (data == nullptr) {
    refuse(bytes);
  }
  return data;
}

void release_host(void* data, std::size_t bytes) noexcept {
  if (bytes >= huge_page) {
    munmap(data, whole_huge_pages(bytes));
  } else {
    std::free(data);  // NOLINT(cppcoreguidelines-no-malloc): the pair of aligned_alloc
  }
}

void* allocate(MemorySpace space, std::size_t bytes) {
  if (space == MemorySpace::host) {
    return allocate_host(bytes);
  }
  if constexpr (build::cuda) {
    return space == MemorySpace::pinned ? detail::allocate_pinned(bytes)
                                        : detail::allocate_device(bytes);
  }
  throw RuntimeFailure("this program has no CUDA backend, so it has no such memory");
}

/// The bytes of a space that this process holds.
class Account {
 public:
  void take(std::size_t bytes) {
    const std::int64_t now = held_ += static_cast<std::int64_t>(bytes);
    std::int64_t most = most_;
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void give_back(std::size_t bytes) { held_ -= static_cast<std::int64_t>(bytes); }
  std::int64_t restart() { return most_ = held_.load(); }
  [[nodiscard]] std::int64_t most() const { return most_; }

 private:
  std::atomic<std::int64_t> held_{0};
  std::atomic<std::int64_t> most_{0};
};

Account& account_of(MemorySpace space) {
  static std::array<Account, 3> accounts;
  return accounts[static_cast<std::size_t>(space)];
}

Clearing& clearing_of_gpus() {
  static Clearing clearing;
  return clearing;
}

}  // namespace

std::int64_t resident_bytes(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  return size < huge_page ? bytes : static_cast<std::int64_t>(whole_huge_pages(size));
}

double seconds_until_cleared() { return clearing_of_gpus().seconds_left(Clearing::Clock::now()); }

Memory::Memory(MemorySpace space, std::size_t bytes)
    : data_(allocate(space, bytes == 0 ? 1 : bytes), Release{space, bytes, nullptr}),
      bytes_(bytes),
      space_(space) {
  account_of(space).take(bytes);
}

Memory::Memory(void* data, std::size_t bytes, std::shared_ptr<detail::SharedPieces> whole)
    : data_(data, Release{whole->space(), bytes, whole}), bytes_(bytes), space_(whole->space()) {}

void Memory::Release::operator()(void* data) const noexcept {
  if (whole != nullptr) {
    whole->give_back(data);
    return;
  }
  account_of(space).give_back(bytes);
  if (space == MemorySpace::host) {
    release_host(data, bytes);
    return;
  }
  if constexpr (build::cuda) {
    if (space == MemorySpace::pinned) {
      detail::release_pinned(data);
      return;
    }
    detail::release_device(data);
    clearing_of_gpus().freed(static_cast<double>(bytes), Clearing::Clock::now());
  }
}

MemoryWatch::MemoryWatch(MemorySpace space)
    : space_(space), held_at_start_(account_of(space).restart()) {}

std::int64_t MemoryWatch::max_bytes() const { return account_of(space_).most() - held_at_start_; }

}  // namespace bankfull
