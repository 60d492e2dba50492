#include "bankfull/core/base/dynamic_library.hpp"

#include "bankfull/core/base/error.hpp"

#include <dlfcn.h>
#include <utility>

namespace bankfull {

DynamicLibrary::DynamicLibrary(std::string name, Symbols symbols)
    : name_(std::move(name)),
      handle_(dlopen(name_.c_str(),
                     RTLD_NOW | (symbols == Symbols::shared ? RTLD_GLOBAL : RTLD_LOCAL))) {
  if (handle_ == nullptr) {
    unavailable_reason_ = dlerror();
  }
}

void DynamicLibrary::require(const std::string& what) const {
  if (!unavailable_reason_.empty()) {
    throw RuntimeFailure(what + " cannot be used: " + unavailable_reason_);
  }
}

void* DynamicLibrary::find(const char* symbol) {
  if (handle_ == nullptr) {
    return nullptr;
  }
  void* const address = dlsym(handle_, symbol);
  if (address == nullptr && unavailable_reason_.empty()) {
    unavailable_reason_ = name_ + " has no " + symbol;
  }
  return address;
}

}  // namespace bankfull
