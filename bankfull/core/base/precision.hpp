#pragma once

#include <cstdint>
#include <string>

namespace bankfull {

/// Floating-point format of the elements that a kernel reads and writes.
enum class Precision { fp32, fp64 };

/// Of one element: 4 or 8.
constexpr std::int64_t bytes_of(Precision precision) {
  return precision == Precision::fp32 ? 4 : 8;
}

/// "fp32", "fp64".
std::string to_string(Precision precision);

}  // namespace bankfull
