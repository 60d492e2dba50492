#include "bankfull/core/exec/late_library.hpp"

#include <dlfcn.h>
#include <utility>

namespace bankfull {

LateLibrary::LateLibrary(std::string name)
    : name_(std::move(name)), handle_(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    absent_because_ = dlerror();
  }
}

void* LateLibrary::address_of(const char* symbol) {
  if (handle_ == nullptr) {
    return nullptr;
  }
  void* const address = dlsym(handle_, symbol);
  if (address == nullptr) {
    absent_because_ = name_ + " has no " + symbol;
  }
  return address;
}

}  // namespace bankfull
