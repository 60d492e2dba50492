#pragma once

#include <cstddef>
#include <cstdint>

namespace bankfull {

/// The CRC-32 of zip, gzip and PNG (ISO 3309, reflected polynomial edb88320) of bytes that are
/// passed in pieces. It detects every error burst of up to 32 bits. Builds with HDF5 only, which
/// brings zlib.
class Crc32 {
 public:
  /// With several threads each takes a part of the bytes, which changes no bit of the value.
  void add(const void* bytes, std::size_t count, int threads = 1);

  [[nodiscard]] std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace bankfull
