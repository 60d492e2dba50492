#include "bankfull/core/memory/memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

namespace bankfull {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

void* allocate_host(std::size_t bytes) {
  // Large arrays on 4 KiB pages lose bandwidth to address translation.
  const std::size_t alignment = bytes >= huge_page ? huge_page : 4096;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* data = std::aligned_alloc(alignment, rounded);
  if (data == nullptr) {
    throw RuntimeFailure("the system refused " + format_bytes(static_cast<double>(bytes)) +
                         " of host memory");
  }
  if (rounded >= huge_page) {
    madvise(data, rounded, MADV_HUGEPAGE);  // a hint: without it we are slower, not wrong
  }
  return data;
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

}  // namespace

Memory::Memory(MemorySpace space, std::size_t bytes)
    : data_(allocate(space, bytes == 0 ? 1 : bytes), Release{space}),
      bytes_(bytes),
      space_(space) {}

void Memory::Release::operator()(void* data) const noexcept {
  if (space == MemorySpace::host) {
    std::free(data);
    return;
  }
  if constexpr (build::cuda) {
    space == MemorySpace::pinned ? detail::release_pinned(data) : detail::release_device(data);
  }
}

}  // namespace bankfull
