#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

// Functions of newer releases of glibc that libgcc and libstdc++ use where they were built with
// these. A program that has them itself, and no other newer function, runs with older releases too.
// They are hidden: nothing outside the program calls them.

namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* found;
};

void* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Whether the object that the loader put here has the address; then what unwinding needs of it.
int look_in(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::uintptr_t frame = 0;
  bool has_address = false;
  for (int n = 0; n < object->dlpi_phnum; ++n) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[n];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    if (segment.p_type == PT_GNU_EH_FRAME) {
      frame = begin;
    } else if (segment.p_type == PT_LOAD && begin <= search.address && search.address < end) {
      has_address = true;
      search.found->dlfo_map_start = pointer_to(begin);
      search.found->dlfo_map_end = pointer_to(end);
    }
  }
  if (!has_address || frame == 0) {
    return 0;
  }
  search.found->dlfo_eh_frame = pointer_to(frame);
  return 1;
}

}  // namespace

extern "C" {

/// Since glibc 2.35. libgcc's unwinder asks where an address is; 0: it was found.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
[[gnu::visibility("hidden")]] int _dl_find_object(void* address, dl_find_object* found) noexcept {
  *found = {};
  Search search{.address = reinterpret_cast<std::uintptr_t>(address), .found = found};
  return dl_iterate_phdr(look_in, &search) == 1 ? 0 : -1;
}

/// Since glibc 2.36, for std::random_device.
[[gnu::visibility("hidden")]] std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value)) {
    std::abort();
  }
  return value;
}
}
