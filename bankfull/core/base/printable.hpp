#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bankfull {

/// A text from outside as it can stand within one line on any terminal: control characters, those
/// that turn the direction of writing among them, and bytes that are not UTF-8 as `\n`, `\x1b`,
/// `\u202e`, `\xff`. All else stays, also in a text that is printable already.
std::string printable(std::string_view text);

/// At most `most` characters of the same, 60 and more: the middle of a longer text gives way to
/// "...(29870 characters)...".
std::string printable(std::string_view text, std::size_t most);

/// Maximum length in characters of a problem, and of its remedy; well beyond those of the program's
/// own text.
inline constexpr std::size_t max_part_length = 1200;
/// Maximum length in characters of a message: both parts and what stands around them.
inline constexpr std::size_t max_message_length = 2 * max_part_length + 200;

/// A message as one line: printable, its words and itself of readable length. A message that is one
/// line already stays as it is.
std::string one_line(std::string_view message, std::size_t most = max_message_length);

}  // namespace bankfull
