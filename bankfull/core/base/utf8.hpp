#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bankfull {

/// A character and the bytes that it takes.
struct Character {
  char32_t code = 0;      ///< Unicode code point, up to U+10FFFF
  std::size_t bytes = 0;  ///< in UTF-8: 1 to 4
};

/// The first character of a text that is not empty; none if its bytes are not UTF-8.
std::optional<Character> first_character(std::string_view text);

/// Whether a byte is one of those that follow the first of a character.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace bankfull
