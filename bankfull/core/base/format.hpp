#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// "14.3 GiB", "96 KiB", "512 B".
std::string format_bytes(double bytes);

/// A positive quantity with an SI prefix and three significant digits: (4.291e12, "B/s") -> "4.29
/// TB/s".
std::string format_si(double value, const std::string& unit);

/// "850 ns", "1.23 ms", "4.5 s", "3 min 20 s".
std::string format_seconds(double seconds);

/// Ascending numbers as a list of ranges: "0-3,8".
std::string ranges_text(const std::vector<std::uint64_t>& numbers);

/// The parts of a text between separators; an empty text is one empty part.
std::vector<std::string> parts_of(const std::string& text, char separator);

}  // namespace bankfull
