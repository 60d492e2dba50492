#include "bankfull/core/memory/host_pages.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace bankfull {
namespace {

/// "7f00-7fff r--p ...": whether the line heads a mapping, and if so whether the two overlap.
bool heads_mapping(const std::string& line, std::uint64_t begin, std::uint64_t end,
                   bool& overlaps) {
  std::istringstream text(line);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  char dash = 0;
  if (!(text >> std::hex >> first >> dash >> last) || dash != '-') {
    return false;
  }
  overlaps = first < end && last > begin;
  return true;
}

double kib_of(const std::string& line) {
  std::istringstream text(line.substr(line.find(':') + 1));
  double kib = 0.0;
  text >> kib;
  return kib;
}

}  // namespace

void ask_for_pages(const Memory& memory, HostPages pages) {
  if (memory.space() == MemorySpace::host && memory.bytes() >= base_page_bytes()) {
    const std::size_t whole = memory.bytes() / base_page_bytes() * base_page_bytes();
    madvise(memory.data(), whole, pages == HostPages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  }
}

double share_in_huge_pages(const Memory& memory) {
  const auto begin = reinterpret_cast<std::uint64_t>(memory.data());
  const std::uint64_t end = begin + memory.bytes();
  std::ifstream smaps("/proc/self/smaps");
  bool overlaps = false;
  double touched = 0.0;
  double huge = 0.0;
  for (std::string line; std::getline(smaps, line);) {
    if (heads_mapping(line, begin, end, overlaps) || !overlaps) {
      continue;
    }
    touched += line.starts_with("Rss:") ? kib_of(line) : 0.0;
    huge += line.starts_with("AnonHugePages:") ? kib_of(line) : 0.0;
  }
  return touched > 0.0 ? huge / touched : 0.0;
}

std::size_t base_page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace bankfull
