#include "bankfull/core/base/format.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>

namespace bankfull {
namespace {

std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string format_bytes(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024.0 && unit + 1 < units.size()) {
    bytes /= 1024.0;
    ++unit;
  }
  const bool whole = bytes == std::floor(bytes);
  return fmt::format("{:.{}f} {}", bytes, whole || bytes >= 100.0 ? 0 : 1, units[unit]);
}

std::string format_si(double value, const std::string& unit) {
  constexpr std::array prefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000.0;
    ++prefix;
  }
  return fmt::format("{} {}{}", three_digits(value), prefixes[prefix], unit);
}

std::string format_seconds(double seconds) {
  if (seconds >= 60.0) {
    const auto whole = static_cast<long>(std::lround(seconds));
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  if (seconds >= 0.9995) {
    return three_digits(seconds) + " s";
  }
  if (seconds >= 0.9995e-3) {
    return three_digits(seconds * 1e3) + " ms";
  }
  if (seconds >= 0.9995e-6) {
    return three_digits(seconds * 1e6) + " us";
  }
  return three_digits(seconds * 1e9) + " ns";
}

std::string ranges_text(const std::vector<std::uint64_t>& numbers) {
  std::string list;
  for (std::size_t n = 0; n < numbers.size();) {
    std::size_t last = n;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    list += fmt::format("{}{}", list.empty() ? "" : ",", numbers[n]);
    list += last > n ? fmt::format("-{}", numbers[last]) : "";
    n = last + 1;
  }
  return list;
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == separator) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

}  // namespace bankfull
