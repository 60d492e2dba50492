#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// A whole number in decimal digits, perhaps with a sign; nothing for anything else.
std::optional<std::int64_t> parse_whole(const std::string& text);

/// The same from 1 to `most`, without a sign.
std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t most);

/// A number such as "0.5", "-3", "1e-6", "inf" or "nan"; nothing for anything else, nor where it is
/// too large or too small for its type.
std::optional<double> parse_decimal(const std::string& text);

/// Bytes such as "4096", "64KiB", "512 MiB" or "4g", whose prefixes are powers of 1024, in any
/// case, with or without i and B; nothing for anything else, nor beyond 2^63 - 1.
std::optional<std::int64_t> parse_byte_amount(const std::string& text);

/// The parts of a list with commas, such as "copy,triad". Throws UsageError where one is empty or
/// stands twice, naming `option`.
std::vector<std::string> parse_list(const std::string& option, const std::string& text);

/// What to do with numbers that a list has twice.
enum class Repeated { merged, refused };

/// Understands "4", "90:130" and several of these with commas, as option --ranks; ascending. Throws
/// UsageError for anything else, naming it.
std::vector<int> parse_rank_counts(const std::string& text, Repeated repeated);

/// Powers of two up to the ranks of a run, and these; ascending.
std::vector<int> doubled_rank_counts(int most);

}  // namespace bankfull
