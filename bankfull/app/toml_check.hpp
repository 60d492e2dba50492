#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bankfull {

/// Parts that a dotted key of TOML may have, and levels that lists and tables within a line may
/// have. toml++ reads, copies and frees tables by recursion, and bounds only one of the two.
inline constexpr int deepest_toml = 16;

/// What a text has that toml++ cannot stand, and where; line and column from 1, columns in bytes.
struct TomlFault {
  int line = 1;
  int column = 1;
  bool too_deep = false;
  std::string problem;
  std::string remedy;
};

/// The first place of a text where toml++ would recurse too deeply, or take for granted what is not
/// so: a heading without a name, a list that ends with }, a value of letters that none has, letters
/// beyond ASCII outside quotes. It asserts these in debug builds and promises them to the compiler
/// in others. Apart from its depth, sound TOML passes. This needs no stack, and agrees with a
/// parser up to the first mistake, where that stops.
std::optional<TomlFault> toml_fault(std::string_view text);

/// The same TOML without what toml++ mistakes though it is sound: a letter beyond ASCII that
/// follows a backslash at the end of a line, in a text of several, becomes its escape, as
/// \U000000E9.
std::string safe_toml(std::string_view text);

}  // namespace bankfull
