#include "bankfull/core/base/print_failure.hpp"

#include <cstdio>

namespace bankfull {

void print_failure(const std::string& message) noexcept {
  static_cast<void>(std::fprintf(stderr, "error: %s\n", message.c_str()));
}

}  // namespace bankfull
