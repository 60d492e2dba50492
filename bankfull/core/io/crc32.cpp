#include "bankfull/core/io/crc32.hpp"

#include "bankfull/core/exec/team.hpp"

#include <algorithm>
#include <vector>
#include <zlib.h>

namespace bankfull {
namespace {

std::uint32_t continued(std::uint32_t value, const std::uint8_t* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(crc32_z(value, bytes, count));
}

}  // namespace

void Crc32::add(const void* bytes, std::size_t count, int threads) {
  const auto* const begin = static_cast<const std::uint8_t*>(bytes);
  // Below this size a team of threads takes longer to start than one thread takes for everything.
  constexpr std::size_t fewest_bytes = 1 << 18;
  const auto parts = static_cast<int>(
      std::clamp<std::size_t>(count / fewest_bytes, 1, static_cast<std::size_t>(threads)));
  if (parts == 1) {
    value_ = count == 0 ? value_ : continued(value_, begin, count);
    return;
  }
  const auto start = [&](int part) {
    return count / static_cast<std::size_t>(parts) * static_cast<std::size_t>(part);
  };
  const auto length = [&](int part) {
    return (part + 1 == parts ? count : start(part + 1)) - start(part);
  };
  std::vector<std::uint32_t> values(static_cast<std::size_t>(parts));
#pragma omp parallel for num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    static_cast<void>(share_number());  // a thread new to the team is bound
    values[static_cast<std::size_t>(part)] = continued(0, begin + start(part), length(part));
  }
  for (int part = 0; part < parts; ++part) {
    append(values[static_cast<std::size_t>(part)], static_cast<std::int64_t>(length(part)));
  }
}

void Crc32::append(std::uint32_t value, std::int64_t count) {
  value_ = static_cast<std::uint32_t>(crc32_combine(value_, value, static_cast<z_off_t>(count)));
}

}  // namespace bankfull
