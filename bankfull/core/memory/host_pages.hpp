#pragma once

#include "bankfull/core/memory/memory.hpp"

#include <cstddef>

namespace bankfull {

/// Size of the pages that the system maps host memory with.
enum class HostPages {
  small,  ///< the processor's base page, 4 KiB on x86_64
  huge,   ///< 2 MiB on x86_64, where the system grants them
};

/// Requests such pages for host memory that has not been touched yet. A hint: huge pages may be
/// refused; see `share_in_huge_pages`. No effect on other memory.
void ask_for_pages(const Memory& memory, HostPages pages);

/// Part of the touched bytes of host memory that lies in huge pages, 0 to 1, as reported by the
/// kernel; 0 if nothing is touched or the kernel does not report it.
double share_in_huge_pages(const Memory& memory);

/// Bytes of the processor's base page.
std::size_t base_page_bytes();

}  // namespace bankfull
