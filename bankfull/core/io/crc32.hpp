#pragma once

#include <cstddef>
#include <cstdint>

namespace bankfull {

/// The CRC-32 of zip, gzip and PNG (ISO 3309, reflected polynomial edb88320) of bytes that are
/// passed in pieces. It detects every error burst of up to 32 bits. Builds with HDF5 only, which
/// brings zlib.
class Crc32 {
 public:
  Crc32() = default;

  /// That of bytes which were passed before.
  explicit Crc32(std::uint32_t value) : value_(value) {}

  /// With several threads each takes a part of the bytes, which changes no bit of the value.
  void add(const void* bytes, std::size_t count, int threads = 1);

  /// The bytes that follow, so many, have this value of their own.
  void append(std::uint32_t value, std::int64_t count);

  /// Of all bytes so far; 0 before the first.
  [[nodiscard]] std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace bankfull
