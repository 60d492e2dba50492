#pragma once

#include <string>

namespace bankfull {

/// A shared library that is opened at run time, so that programs that do not use it run without it.
/// It is never closed: what was made with it may outlive this and needs its functions.
/// Exists in builds with CUDA only.
class LateLibrary {
 public:
  /// Looks where the system's loader looks.
  explicit LateLibrary(std::string name);

  /// Sets `function` to the library's function of this name, or to null where there is none.
  template <class Function>
  void find(Function*& function, const char* symbol) {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }

  /// Why the library, or the last function that it lacks, cannot be used; empty if all can.
  [[nodiscard]] const std::string& absent_because() const { return absent_because_; }

 private:
  void* address_of(const char* symbol);

  std::string name_;
  void* handle_;
  std::string absent_because_;
};

}  // namespace bankfull
