#pragma once

#include <string>

namespace bankfull {

/// A shared library that is opened at run time, so that programs that do not use it run without it.
/// It is never closed: what was made with it may outlive this and needs its functions.
///
/// A library's functions are listed in a class derived from this one, with a DynamicFunction each:
///
///     struct Mathematics : DynamicLibrary {
///       Mathematics() : DynamicLibrary("libm.so.6") {}
///       DynamicFunction<double(double)> cosine{*this, "cos"};
///     };
class DynamicLibrary {
 public:
  /// Whether libraries that are opened later see its symbols.
  enum class Symbols { own, shared };

  /// Searches where the system's loader searches.
  explicit DynamicLibrary(std::string name, Symbols symbols = Symbols::own);

  /// Why the library, or the first function that it lacks, cannot be used; empty if all can.
  [[nodiscard]] const std::string& unavailable_reason() const { return unavailable_reason_; }

  /// Throws RuntimeFailure, which names `what` cannot be used, where there is such a reason.
  void require(const std::string& what) const;

  /// Null where the library has no such symbol, or cannot be opened.
  void* find(const char* symbol);

 private:
  std::string name_;
  void* handle_;
  std::string unavailable_reason_;
};

/// A function of a DynamicLibrary: called as any other, null where the library lacks it.
template <class Signature>
class DynamicFunction {
 public:
  /// Looks the symbol up; a library that lacks it says so as its `unavailable_reason`. Stays valid
  /// after `library` is destroyed. That the symbol has this signature is the caller's word.
  DynamicFunction(DynamicLibrary& library, const char* symbol)
      : function_(reinterpret_cast<Signature*>(library.find(symbol))) {}

  /// For calls and for tests of whether it is there: null where it is not.
  operator Signature*() const { return function_; }

 private:
  Signature* function_;
};

}  // namespace bankfull
