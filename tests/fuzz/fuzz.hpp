#pragma once

#include "bankfull/core/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

/// What a fuzzer calls, and the replay of a corpus: returns 0, or ends the program where the input
/// has found a defect. Each target defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace bankfull::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program unless something holds that no input may break.
inline void require_property(bool holds, const char* property) {
  if (!holds) {
    std::fprintf(stderr, "broken: %s\n", property);
    std::abort();
  }
}

/// Bad input is refused with a message. All other exceptions are defects, and end the program.
template <class Body>
void answer_or_refuse(const Body& body) {
  try {
    body();
  } catch (const UsageError& error) {
    require_property(*error.what() != '\0', "a refusal says why");
  }
}

}  // namespace bankfull::fuzz
