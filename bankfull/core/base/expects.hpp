#pragma once

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/host_device.hpp"

#include <cassert>
#include <cstdio>
#include <cstdlib>

namespace bankfull {

namespace detail {

/// Prints which contract was violated where, and ends the program. In a kernel, whose thread it
/// names too, all that its process does on the GPU fails from then on.
BANKFULL_HOST_DEVICE inline void contract_violated(const char* contract, const char* file,
                                                   unsigned line, const char* function) {
#if !defined(__CUDA_ARCH__)
  std::fprintf(stderr, "%s:%u: contract violated in %s: %s\n", file, line, function, contract);
  std::abort();
#elif !defined(NDEBUG)
  __assert_fail(contract, file, line, function);
#endif
}

}  // namespace detail

/// Contract of the caller: a violation is a bug in our code and ends the program. Checked, in
/// kernels too, in builds with assertions (Debug, tests of the `debug`, `cuda-debug` and `asan`
/// presets) and free in Release.
BANKFULL_HOST_DEVICE constexpr void expects(bool holds, const char* contract,
                                            const char* file = __builtin_FILE(),
                                            unsigned line = __builtin_LINE(),
                                            const char* function = __builtin_FUNCTION()) {
  if constexpr (build::assertions) {
    if (!holds) {
      detail::contract_violated(contract, file, line, function);
    }
  }
}

}  // namespace bankfull
