#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// A whole number from 1 to `most`, all digits; nothing for anything else.
std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t most);

/// What to do with numbers that a list has twice.
enum class Repeated { merged, refused };

/// Understands "4", "90:130" and several of these with commas, as option --ranks; ascending. Throws
/// UsageError for anything else, naming it.
std::vector<int> parse_rank_counts(const std::string& text, Repeated repeated);

/// Powers of two up to the ranks of a run, and these; ascending.
std::vector<int> doubled_rank_counts(int most);

}  // namespace bankfull
