#pragma once

#include <optional>
#include <string_view>

namespace bankfull {

/// Parts that a dotted key of TOML may have, and levels that lists and tables within a line may
/// have. toml++ reads, copies and frees tables by recursion, and bounds only one of the two.
inline constexpr int deepest_toml = 16;

/// A place in a text, both from 1; columns in bytes.
struct TextPlace {
  int line = 1;
  int column = 1;
};

/// Where a text, read as TOML, first goes deeper. Needs no stack and no sound TOML: it agrees with
/// a parser up to the first mistake, where that stops.
std::optional<TextPlace> too_deep_toml(std::string_view text);

}  // namespace bankfull
