#pragma once

#include "bankfull/build_config.hpp"

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace bankfull {

/// Contract of the caller: a violation is a bug in our code and ends the program. Checked in builds
/// with assertions (Debug, tests of the `debug` and `asan` presets) and free in Release.
constexpr void expects(bool holds, const char* contract,
                       std::source_location where = std::source_location::current()) {
  if constexpr (build::assertions) {
    if (!holds) {
      std::fprintf(stderr, "%s:%u: contract violated in %s: %s\n", where.file_name(),
                   static_cast<unsigned>(where.line()), where.function_name(), contract);
      std::abort();
    }
  }
}

}  // namespace bankfull
